/** In charge of who is signed in, as the whole portal knows it. */
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, ask, keepCsrfToken } from './client.ts';
import type { components } from './schema.d.ts';

export type Session = components['schemas']['GetSessionAnswer'];
export type Person = NonNullable<Session['person']>;
export type Environment = 'test' | 'live';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => kept(await ask(api.GET('/session'))),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function signIn(client: QueryClient, email: string, password: string): Promise<Session> {
  return began(client, await ask(api.POST('/session', { body: { email, password } })));
}

export async function setPassword(client: QueryClient, token: string, password: string): Promise<Session> {
  return began(client, await ask(api.POST('/links/password', { body: { token, password } })));
}

export async function signOut(): Promise<void> {
  await ask(api.DELETE('/session'));
}

/** All that was shown belongs to somebody who is no longer signed in. */
export function forgetSession(client: QueryClient): void {
  keepCsrfToken(null);
  client.clear();
}

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** In pages that nobody sees without being signed in. */
export function usePerson(): Person {
  const { person } = useSession();
  if (person === null) throw new Error('This page is for people who have signed in.');
  return person;
}

/** Whether the person may change things of the merchant: viewers never, and nobody while the marketplace has suspended it. */
export function useMayChange(): boolean {
  const { role, merchant } = usePerson();
  return role !== 'merchant-viewer' && merchant?.suspended !== true;
}

function began(client: QueryClient, session: Session): Session {
  client.clear();
  client.setQueryData(sessionQuery.queryKey, kept(session));
  return session;
}

function kept(session: Session): Session {
  keepCsrfToken(session.csrf_token);
  return session;
}
