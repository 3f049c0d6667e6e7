/** Reads and writes cursors of the change feed: opaque text that names a feed and a place in it. An event's id is its cursor. */

export interface EventCursor {
  /** Names the feed. */
  readonly tag: string;
  readonly number: number;
  readonly count: number;
}

const CURSOR = /^([0-9a-f]{12})-([0-9a-z]{1,11})-([0-9a-z]{1,4})$/;

export function cursorText({ tag, number, count }: EventCursor): string {
  return `${tag}-${number.toString(36)}-${count.toString(36)}`;
}

/** Returns undefined for text that is not a cursor. */
export function readCursor(text: string): EventCursor | undefined {
  const [, tag, number = '', count = ''] = CURSOR.exec(text) ?? [];
  return tag === undefined
    ? undefined
    : { tag, number: Number.parseInt(number, 36), count: Number.parseInt(count, 36) };
}
