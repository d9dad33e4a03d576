"""How good the answers are: questions, measures, intervals, comparison with a baseline, tuning."""
