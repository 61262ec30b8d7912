"""Order between resources of different components, carried by the values that pass between them."""

from __future__ import annotations

import pulumi


def after(value: pulumi.Output[str], *resources: pulumi.CustomResource) -> pulumi.Output[str]:
    """`value`, known only once `resources` exist: whoever uses it is made after them and deleted before them.

    `depends_on` across sibling components can deadlock the program; a value cannot.
    """
    return pulumi.Output.all(value, *(resource.id for resource in resources)).apply(lambda known: str(known[0]))
