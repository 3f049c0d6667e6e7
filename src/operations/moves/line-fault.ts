/** Reports the problems of one line of an export. */

/** Thrown for a refused line, with its problems as text. */
export class LineFault extends Error {
  override readonly name = 'LineFault';
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super(texts.join('; '));
    this.texts = texts;
  }
}
