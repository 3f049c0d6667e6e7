/** Receives webhook messages on loopback. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from './wait-until.ts';

const PATIENCE_MS = 60_000;

export interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** `answer` is the status; 0 never answers. */
export class Receiver {
  readonly messages: Message[] = [];
  answer = 204;
  readonly #server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      this.messages.push({ headers: request.headers, text, body: JSON.parse(text) });
      if (this.answer !== 0) response.writeHead(this.answer).end();
    });
  });

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async received(count: number): Promise<readonly Message[]> {
    return waitUntil(`${count} messages`, PATIENCE_MS, async () =>
      this.messages.length >= count ? this.messages : undefined,
    );
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
