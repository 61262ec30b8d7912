"""Container images of NVIDIA: which CUDA each release is built on, and so the oldest driver that runs it (I1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .drivers import oldest_driver
from .names import UnknownName
from .tables import as_of, rows, source, words


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One release of an image, such as `tritonserver` 25.10."""

    image: str
    release: str
    cuda: str
    printed_driver: str | None
    """Driver that the release notes print; for CUDA 13 it is older than what CUDA's own table asks for, so it decides nothing."""
    forward_branches: tuple[int, ...]
    """Older data-centre driver branches that the notes allow through CUDA's forward-compatibility package."""
    notes: str
    source: str
    as_of: date | None

    @property
    def min_driver(self) -> str:
        """Oldest driver by minor-version compatibility of the CUDA major. Raises UnknownName for a major without a known floor."""
        return oldest_driver(self.cuda)


@cache
def containers() -> tuple[Container, ...]:
    return tuple(
        Container(
            image=row["image"],
            release=row["release"],
            cuda=row["cuda"],
            printed_driver=row["printed_driver"] or None,
            forward_branches=tuple(int(branch) for branch in words(row["forward_branches"])),
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("containers")
    )


def container(image: str, release: str) -> Container:
    """The release of an image. Raises UnknownName with the nearest image, or with the releases of the image that are near."""
    of_image = {c.release: c for c in containers() if c.image == image}
    if not of_image:
        raise UnknownName("container image", image, {c.image for c in containers()})
    if release in of_image:
        return of_image[release]
    raise UnknownName(f"release of {image}", release, of_image)
