/**
 * Decides whether the calls that clients made at the same time can be put into one order that explains every answer: each call takes effect
 * at one moment between its start and its end. This is Wing and Gong's search, with states that were tried before left out.
 */

export interface TimedCall<Call, Answer> {
  readonly call: Call;
  readonly answer: Answer;
  readonly startMs: number;
  readonly endMs: number;
}

/** `step` returns what the call would answer, and the state after it. */
export function isLinear<State, Call, Answer>(
  calls: readonly TimedCall<Call, Answer>[],
  start: State,
  step: (state: State, call: Call) => readonly [Answer, State],
): boolean {
  const tried = new Set<string>();
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const fits = (open: ReadonlySet<number>, state: State): boolean => {
    if (open.size === 0) return true;
    const key = JSON.stringify([[...open], state]);
    if (tried.has(key)) return false;
    tried.add(key);
    const firstEnd = Math.min(...[...open].map((at) => calls[at]?.endMs ?? 0));
    for (const at of open) {
      const timed = calls[at];
      // A call that began after another had ended cannot come before it.
      if (timed === undefined || timed.startMs > firstEnd) continue;
      const [answer, next] = step(state, timed.call);
      if (!isSame(answer, timed.answer)) continue;
      const rest = new Set(open);
      rest.delete(at);
      if (fits(rest, next)) return true;
    }
    return false;
  };
  return fits(new Set(calls.keys()), start);
}
