"""The limits of `policies/limits.yaml` as documents of the clouds' own, which hold them also where nobody runs a check."""
