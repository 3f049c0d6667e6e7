/** In charge of saying what is wrong with one line of an export. */

/** Why a line cannot be taken: its problems, in words. */
export class LineFault extends Error {
  override readonly name = 'LineFault';
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super(texts.join('; '));
    this.texts = texts;
  }
}
