"""Operations of a stack: progress, expected end and failures."""
