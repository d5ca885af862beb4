"""Study: coil2000."""
