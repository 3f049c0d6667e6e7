/** In charge of reading an answer whole: those of an Offerbook are small, and what is not is no answer of one. */
import { ServerUnreachableError } from './api-failure.ts';

/** A page of 1,000 records of files is some 700 KB. */
const ANSWER_BYTES_MAX = 16_777_216;

export async function textWithin(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX)
      throw new ServerUnreachableError(`The answer has more than ${ANSWER_BYTES_MAX} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
