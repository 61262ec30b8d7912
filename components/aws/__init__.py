"""AWS family: EKS training and inference clusters."""
