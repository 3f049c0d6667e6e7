/** Runs a server with a fixed list of responses, including responses that Offerbook would never send. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

export interface SeenRequest {
  readonly call: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A status with its JSON body, or a custom action for a request whose body was not read. */
export type ScriptedAnswer =
  | readonly [status: number, body: unknown]
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface ScriptedServer {
  readonly url: string;
  /** Requests that were read completely. */
  readonly seen: SeenRequest[];
}

export const TOKEN: ScriptedAnswer = [200, { id_token: 'token-1', token_type: 'Bearer' }];

/** Responds in the order of the list. Further requests get a 500 that says so. */
export async function scriptedServer(
  t: Pick<TestContext, 'after'>,
  answers: readonly ScriptedAnswer[],
): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const left = [...answers];
  const server = createServer(async (request, response) => {
    const answer = left.shift() ?? [500, { details: [problem('internal_error', 'nothing more was scripted')] }];
    if (typeof answer === 'function') {
      answer(request, response);
      return;
    }
    const body = await buffer(request);
    const { method, url, headers } = request;
    seen.push({ call: `${method} ${url}`, authorization: headers.authorization, headers, body });
    const [status, json] = answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof json === 'string' ? json : JSON.stringify(json));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export function problem(code: string, message: string) {
  return { code, field: '', message };
}

export function refusal(status: number, code: string): ScriptedAnswer {
  return [status, { errors: [`${code}!`], details: [problem(code, `${code}!`)] }];
}

/** Closes the connection without a response. */
export const BREAK_OFF: ScriptedAnswer = (request) => void request.socket.destroy();
