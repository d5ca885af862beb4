"""Study: fraud_handbook."""
