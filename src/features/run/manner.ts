// The two manners of a run: `run` waits until everything is over, `tick` looks, buys and ends.

export type Manner = 'run' | 'tick';
