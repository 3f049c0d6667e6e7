/** Reads files of the server by their URLs, and streams of bytes up to a limit. */
import { noAnswer, refusal } from './problem.ts';

/** Returns the successful response, or throws an ApiError. */
export async function requestFile(url: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(url, signal && { signal }).catch(() => {
    throw noAnswer();
  });
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => undefined));
  return response;
}

interface BytesRead {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The stream has more bytes than the limit. */
  readonly isMore: boolean;
  readonly fault: unknown;
}

/** Stops at the limit, or at the fault that ended the stream. */
export async function readUpTo(stream: ReadableStream<Uint8Array<ArrayBuffer>>, bytesMax: number): Promise<BytesRead> {
  const reader = stream.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let fault: unknown;
  while (length <= bytesMax) {
    const part = await reader.read().catch((error: unknown) => {
      fault = error;
      return { done: true, value: undefined } as const;
    });
    if (part.done) break;
    parts.push(part.value);
    length += part.value.length;
  }
  const isMore = length > bytesMax;
  if (isMore) await reader.cancel();
  return { bytes: new Uint8Array(await new Blob(parts).arrayBuffer()), isMore, fault };
}
