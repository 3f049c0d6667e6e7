/**
 * Tracks which keys have deferred rows, so that later rows of the same key are deferred too. This way all rows of a key
 * are applied in the order of the file.
 *
 * Keys are stored as 24-bit hashes in a bitmap of 2 MB, however many there are. On a collision, a row is deferred
 * needlessly and applied a little later, which does no harm. With a million keys, this affects one row in seventeen.
 */
const MARK_BITS = 24;
export const MARK_BYTES = MARK_BITS / 8;
const MARK_MASK = 2 ** MARK_BITS - 1;

export class DeferredKeys {
  /** Most files never defer a row. */
  #bits: Uint8Array | undefined;

  add(mark: number): void {
    this.#bits ??= new Uint8Array(2 ** MARK_BITS / 8);
    const at = mark >>> 3;
    this.#bits[at] = (this.#bits[at] as number) | (1 << (mark & 7));
  }

  mayHave(key: string): boolean {
    if (this.#bits === undefined) return false;
    const mark = keyMark(key);
    return ((this.#bits[mark >>> 3] as number) & (1 << (mark & 7))) !== 0;
  }
}

/** FNV-1a, folded. It is stored in the list of deferred rows, so it must never change. */
export function keyMark(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return ((hash >>> MARK_BITS) ^ hash) & MARK_MASK;
}
