/** Reads a whole answer, with a size limit that no answer of Offerbook reaches. */
import { ServerUnreachableError } from './api-failure.ts';

/** A page of 1,000 file records has about 700 KB. */
const ANSWER_BYTES_MAX = 16_777_216;

export async function textWithin(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new ServerUnreachableError(`The answer exceeds ${ANSWER_BYTES_MAX} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
