/** In charge of one visit in a test, with a client that ends with it. */
import type { TestContext } from 'node:test';
import { ImageClient, type ImageClientOptions, type Visit, type VisitOptions } from '../fetching/image-client.ts';

export function clientOf(t: TestContext, options: ImageClientOptions): ImageClient {
  const client = new ImageClient({
    // No test asks the network's name servers.
    resolvePublic: () => Promise.reject(new Error('No name server in tests.')),
    ...options,
  });
  t.after(() => client.close());
  return client;
}

export function visitOnce(
  t: TestContext,
  address: string,
  options: ImageClientOptions & { readonly visit?: VisitOptions } = {},
): Promise<Visit> {
  return clientOf(t, options).visit(address, options.visit ?? {}, (visit) => visit);
}

/** The code of the failure; what else came where there is none. */
export async function failureOfVisit(
  t: TestContext,
  address: string,
  options: ImageClientOptions & { readonly visit?: VisitOptions } = {},
): Promise<string> {
  const visit = await visitOnce(t, address, options);
  return visit.kind === 'failed' ? visit.failure : visit.kind;
}
