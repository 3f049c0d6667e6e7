/** Reports the problems of one line of an export. */

/** Why a line is refused: its problems, as text. */
export class LineFault extends Error {
  override readonly name = 'LineFault';
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super(texts.join('; '));
    this.texts = texts;
  }
}
