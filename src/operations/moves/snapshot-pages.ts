/** Reads a snapshot page by page. */
import { setImmediate } from 'node:timers/promises';

/** Reads the pages after the position `from`. */
export async function* pagesOf<T extends { readonly order: number }>(
  read: (after: number) => Promise<readonly T[]>,
  from = 0,
): AsyncGenerator<readonly T[]> {
  for (let after = from; ; ) {
    const page = await read(after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.order;
    // SQLite works synchronously: without a tick of the event loop, a command could not be interrupted.
    await setImmediate();
  }
}
