"""Google's own budget alarm for one cluster: a second guard, hours behind the first."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_gcp import billing, monitoring

from components.naming import Identity

from .budget_outline import ACTUAL_SHARES, COST_LABEL, FORECAST_SHARES, MOST_CHANNELS


@dataclass(frozen=True, kw_only=True)
class BudgetArgs:
    """A monthly ceiling in US dollars, the account that pays, and who hears of it besides those who administer that account."""

    billing_account: str
    monthly_usd: float
    emails: tuple[str, ...]
    identity: Identity

    def __post_init__(self) -> None:
        if len(self.emails) > MOST_CHANNELS:
            raise ValueError(f"budget.alert_emails: {len(self.emails)} addresses: give at most {MOST_CHANNELS}")


class Budget(pulumi.ComponentResource):
    """A monthly budget of everything that carries the cluster's identity label, with alerts by e-mail."""

    resource: billing.Budget

    def __init__(self, name: str, args: BudgetArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:Budget", name, {}, opts)
        own = pulumi.ResourceOptions(parent=self)
        channels = [self._channel(f"{name}-{at}", email, args, own) for at, email in enumerate(args.emails)]
        self.resource = billing.Budget(
            name,
            billing_account=args.billing_account,
            display_name=f"gpukit {args.identity.cluster}",
            amount=billing.BudgetAmountArgs(
                specified_amount=billing.BudgetAmountSpecifiedAmountArgs(currency_code="USD", units=f"{round(args.monthly_usd)}")
            ),
            budget_filter=billing.BudgetBudgetFilterArgs(
                calendar_period="MONTH", labels={COST_LABEL: args.identity.cluster}, credit_types_treatment="EXCLUDE_ALL_CREDITS"
            ),
            threshold_rules=[
                *(_rule(share, "CURRENT_SPEND") for share in ACTUAL_SHARES),
                *(_rule(share, "FORECASTED_SPEND") for share in FORECAST_SHARES),
            ],
            all_updates_rule=billing.BudgetAllUpdatesRuleArgs(monitoring_notification_channels=channels) if channels else None,
            opts=own,
        )
        self.register_outputs({"budget": self.resource.name})

    def _channel(self, name: str, email: str, args: BudgetArgs, own: pulumi.ResourceOptions) -> pulumi.Output[str]:
        channel = monitoring.NotificationChannel(
            name,
            type="email",
            display_name=f"gpukit {args.identity.cluster} {email}",
            labels={"email_address": email},
            user_labels=args.identity.tags(name),
            opts=own,
        )
        return channel.name


def _rule(share: float, basis: str) -> billing.BudgetThresholdRuleArgs:
    return billing.BudgetThresholdRuleArgs(threshold_percent=share, spend_basis=basis)
