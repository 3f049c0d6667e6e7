/** Fetches an image URL once in a test, with a client that is closed when the test ends. */
import type { TestContext } from 'node:test';
import { ImageClient, type ImageClientOptions, type Visit, type VisitOptions } from '../fetching/image-client.ts';

export function clientOf(t: TestContext, options: ImageClientOptions): ImageClient {
  const client = new ImageClient({
    // Tests must not use the network's name servers.
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

/** Returns the failure code, or the kind of a successful visit. */
export async function failureOfVisit(
  t: TestContext,
  address: string,
  options: ImageClientOptions & { readonly visit?: VisitOptions } = {},
): Promise<string> {
  const visit = await visitOnce(t, address, options);
  return visit.kind === 'failed' ? visit.failure : visit.kind;
}
