/** In charge of calls that are always in flight: each lane makes its next call when the last one is answered. */

/** Gives what was answered per second; a call counts as many as it returns. */
export async function rateOfLanes(
  lanes: number,
  seconds: number,
  call: (lane: number) => Promise<number>,
): Promise<number> {
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  let answered = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() < endMs) {
        // Not in one line: the sum would be read before the call and written after it, over what others added meanwhile.
        const count = await call(lane);
        answered += count;
      }
    }),
  );
  return (answered * 1000) / (performance.now() - startMs);
}

/** Numbers below `below`, all of them, in an order that is not theirs. */
export function scattered(below: number): () => number {
  let last = 0;
  return () => {
    last = (last + 7_919) % below;
    return last;
  };
}
