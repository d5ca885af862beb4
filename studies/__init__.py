"""Studies on the public interface of attop, read once: not part of the wheel."""
