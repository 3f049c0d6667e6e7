/** In charge of who is signed in, as the whole portal knows it. */
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, ask, keepCsrfToken } from './client.ts';
import { tellOtherTabs } from './other-tabs.ts';
import type { components } from './schema.d.ts';

export type Session = components['schemas']['GetSessionAnswer'];
export type Person = NonNullable<Session['person']>;
export type Environment = 'test' | 'live';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => kept(await readSession()),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function signIn(client: QueryClient, email: string, password: string): Promise<Session> {
  return began(client, await ask(api.POST('/session', { body: { email, password } })));
}

/** For somebody whose session has ended: what is shown stays, and is asked for anew. */
export async function signInAgain(client: QueryClient, email: string, password: string): Promise<void> {
  const session = await ask(api.POST('/session', { body: { email, password } }));
  tellOtherTabs('began');
  await moveTo(client, session);
}

/** The session that the browser has now; `moveTo` makes it the one of this page. */
export async function readSession(): Promise<Session> {
  return ask(api.GET('/session'));
}

/** Of the same person; for anybody else all that is shown would have to go first. */
export async function moveTo(client: QueryClient, session: Session): Promise<void> {
  client.setQueryData(sessionQuery.queryKey, kept(session));
  await client.invalidateQueries();
}

export async function setPassword(client: QueryClient, token: string, password: string): Promise<Session> {
  return began(client, await ask(api.POST('/links/password', { body: { token, password } })));
}

export async function signOut(): Promise<void> {
  await ask(api.DELETE('/session'));
  tellOtherTabs('ended');
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
  tellOtherTabs('began');
  return session;
}

function kept(session: Session): Session {
  keepCsrfToken(session.csrf_token);
  return session;
}
