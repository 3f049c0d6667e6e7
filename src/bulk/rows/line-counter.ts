/** Counts the lines of a bulk file while its chunks arrive, so that errors can name a line and a column. */

export class LineCounter {
  readonly #newline: '\n' | '\r';
  /** The current line, and its offset in the unpacked file. */
  #line = 1;
  #lineAt = 0;
  #text = '';
  /** Where the chunk begins in the unpacked file. */
  #offset = 0;
  /**
   * The next line break of the chunk that is not counted yet; -1 if there is none. Stored so that each byte is searched
   * once.
   */
  #nextBreak = -1;

  constructor(newline: '\n' | '\r' = '\n') {
    this.#newline = newline;
  }

  /** Counts the lines of bytes that are not split into entries. They begin at `offset` of the unpacked file. */
  skip(bytes: Buffer, offset: number): void {
    const newline = this.#newline.charCodeAt(0);
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
      this.#line++;
      this.#lineAt = offset + at + 1;
    }
  }

  /** Starts with the next chunk; its text has a character for each byte. */
  begin(text: string, offset: number): void {
    this.#text = text;
    this.#offset = offset;
    this.#nextBreak = text.indexOf(this.#newline);
  }

  /**
   * Returns line and column (in bytes, from 1) of a byte in the chunk, or of its end. `offset` must not be
   * lower than in the previous call.
   */
  positionOf(offset: number): { readonly line: number; readonly column: number } {
    while (this.#nextBreak !== -1 && this.#offset + this.#nextBreak < offset) {
      this.#line++;
      this.#lineAt = this.#offset + this.#nextBreak + 1;
      this.#nextBreak = this.#text.indexOf(this.#newline, this.#nextBreak + 1);
    }
    return { line: this.#line, column: offset - this.#lineAt + 1 };
  }
}
