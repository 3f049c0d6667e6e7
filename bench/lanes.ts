/** Keeps a number of calls in flight: each lane starts its next call when the last one completes. */

/** Returns the rate per second, of the numbers that the calls return. */
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
        // Two statements, because one would read the sum before the call and overwrite what others added.
        const count = await call(lane);
        answered += count;
      }
    }),
  );
  return (answered * 1000) / (performance.now() - startMs);
}

/** Returns a function that yields all numbers below `below` in scattered order. */
export function scattered(below: number): () => number {
  let last = 0;
  return () => {
    last = (last + 7_919) % below;
    return last;
  };
}
