/**
 * Serves the sample images of the demo on this machine, so that the offers of the quick start pass the review without a
 * network.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_IMAGE_NAMES, DEMO_SHADES, demoImage } from './images/demo-image.ts';

interface ImageServer {
  /** `host:port`, in the form that the image fetcher allows. */
  readonly host: string;
  readonly addresses: readonly string[];
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** An image that is not available yet: the review fetches it repeatedly, and its offer stays in review. */
export const LATE_IMAGE = '/late.jpg';

/** Returns the usual `host:port` of the image server, which the quick start names: the port after the API's. */
export function imageHost(apiPort: number): string {
  return `${HOST}:${apiPort + 1}`;
}

/** Uses any free port if the API does, or if the usual port is taken. */
export async function startImageServer(apiPort: number): Promise<ImageServer> {
  const server = createServer((request, response) => {
    const [, named, shaded] = /^\/([a-z]+)(?:-([a-z]+))?\.jpg$/.exec(request.url ?? '') ?? [];
    const name = DEMO_IMAGE_NAMES.find((known) => known === named);
    const shade = DEMO_SHADES.find((known) => known === shaded);
    if (name === undefined || shade !== shaded || request.method !== 'GET') {
      response.writeHead(request.url === LATE_IMAGE ? 503 : 404).end();
      return;
    }
    demoImage(name, shade).then(
      (image) => response.writeHead(200, { 'content-type': 'image/jpeg', etag: `"${named}-${shaded}"` }).end(image),
      () => response.writeHead(500).end(),
    );
  });
  // Not shared between worker processes, because a shared free port would be the API port of the other workers.
  const listen = (port: number) => once(server.listen({ port, host: HOST, exclusive: true }), 'listening');
  await listen(apiPort === 0 ? 0 : apiPort + 1).catch(() => listen(0));
  const host = `${HOST}:${(server.address() as AddressInfo).port}`;
  return {
    host,
    addresses: DEMO_IMAGE_NAMES.map((name) => `http://${host}/${name}.jpg`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
