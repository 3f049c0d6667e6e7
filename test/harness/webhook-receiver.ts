/** Runs a server on loopback that receives webhooks and keeps their messages. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { waitUntil } from './wait-until.ts';

const PATIENCE_MS = 60_000;

export interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

export class WebhookReceiver implements Disposable {
  readonly messages: Message[] = [];
  /** Returns the status of the response to a message. With 0, the receiver never responds. */
  answer: (message: Message, path: string) => number | Promise<number> = () => 204;
  readonly #server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', async () => {
      const message = { headers: request.headers, text, body: JSON.parse(text) };
      this.messages.push(message);
      const status = await this.answer(message, request.url ?? '');
      if (status !== 0) response.writeHead(status).end();
    });
  });

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
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

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Throws if the signature is wrong. */
export function verifyMessage(secret: string, { headers, text }: Message): unknown {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Webhook(secret).verify(text, Object.fromEntries(texts));
}
