/** Reads the session of the signed-in user, signs in and out, and adds passkeys. */
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, ask, keepCsrfToken } from './client.ts';
import { notifyOtherTabs } from './other-tabs.ts';
import { ApiError } from './problem.ts';
import type { components } from './schema.d.ts';

export type Session = components['schemas']['GetSessionAnswer'];
export type Person = NonNullable<Session['person']>;
type SignInCredential = components['schemas']['SignInWithPasskeyBody']['credential'];
type NewCredential = components['schemas']['AddPasskeyBody']['credential'];
export type Environment = 'test' | 'live';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => remember(await readSession()),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function signIn(client: QueryClient, email: string, password: string): Promise<Session> {
  return startSession(client, await ask(api.POST('/session', { body: { email, password } })));
}

/** Starts a new session for the same person without leaving the page; its data is reloaded. */
export async function signInAgain(client: QueryClient, email: string, password: string): Promise<void> {
  await continueIn(client, await ask(api.POST('/session', { body: { email, password } })));
}

export async function signInWithPasskey(client: QueryClient): Promise<Session> {
  return startSession(client, await askForPasskey());
}

/** Starts a new session for the same person with a passkey, without leaving the page. */
export async function confirmWithPasskey(client: QueryClient, email: string): Promise<void> {
  await continueIn(client, await askForPasskey(email));
}

async function continueIn(client: QueryClient, session: Session): Promise<void> {
  notifyOtherTabs('began');
  await switchTo(client, session);
}

/** Reads the browser's current session; `switchTo` makes the page use it. */
export async function readSession(): Promise<Session> {
  return ask(api.GET('/session'));
}

/** Makes the page use another session of the same person. For another person, the cached data would have to be dropped first. */
export async function switchTo(client: QueryClient, session: Session): Promise<void> {
  client.setQueryData(sessionQuery.queryKey, remember(session));
  await client.invalidateQueries();
}

export async function setPassword(client: QueryClient, token: string, password: string): Promise<Session> {
  return startSession(client, await ask(api.POST('/links/password', { body: { token, password } })));
}

/** Read before the router rewrites the URL, in which it would round a code that consists of digits. */
const ARRIVED_WITH = window.location.search;
const RETURN_TO = 'offerbook-return-to';

/** Leaves for the sign-in provider, which returns the browser to the page that calls `finishWithProvider`. */
export async function leaveForProvider(to: string, asksAgain: boolean): Promise<void> {
  const { url } = await ask(api.POST('/session/provider', { body: { ask_again: asksAgain } }));
  sessionStorage.setItem(RETURN_TO, to);
  window.location.assign(url);
}

/** Returns the page that the person wanted. */
export async function finishWithProvider(client: QueryClient): Promise<string> {
  startSession(client, await ask(api.POST('/session/provider/return', { body: { query: ARRIVED_WITH } })));
  return sessionStorage.getItem(RETURN_TO) ?? '/';
}

const LINK = 'link';

/** Reads the user of a password link. */
export const linkQuery = (token: string) =>
  queryOptions({ queryKey: [LINK, token], queryFn: () => ask(api.POST('/links', { body: { token } })), retry: false });

export async function signOut(): Promise<void> {
  await ask(api.DELETE('/session'));
  notifyOtherTabs('ended');
}

/** Drops all cached data, which belongs to the ended session. */
export function forgetSession(client: QueryClient): void {
  keepCsrfToken(null);
  client.clear();
}

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** Returns the signed-in person, on pages that require a session. */
export function usePerson(): Person {
  const { person } = useSession();
  if (person === null) throw new Error('This page requires a session.');
  return person;
}

/** Returns false for viewers, and for everyone while the merchant is suspended. */
export function useMayChange(): boolean {
  const { role, merchant } = usePerson();
  return role !== 'merchant-viewer' && merchant?.suspended !== true;
}

/** Returns whether the server records changes of offers. Without its history, no change can be undone. */
export function useHasHistory(): boolean {
  return useSession().limits.history_days > 0;
}

function startSession(client: QueryClient, session: Session): Session {
  // Keeps the password link, because its page is still open and would request the used link again.
  client.removeQueries({ predicate: ({ queryKey: [what] }) => what !== LINK });
  client.setQueryData(sessionQuery.queryKey, remember(session));
  notifyOtherTabs('began');
  return session;
}

function remember(session: Session): Session {
  keepCsrfToken(session.csrf_token);
  return session;
}

/** Returns whether this browser can use passkeys here. They belong to the host name of the server, and browsers refuse IP addresses. */
export function useHasPasskeys(): boolean {
  const { hostname } = new URL(useSession().api_url);
  const isKnown = 'parseRequestOptionsFromJSON' in (window.PublicKeyCredential ?? {});
  return isKnown && hostname === window.location.hostname && !/^[\d.]+$|:/.test(hostname);
}

/** Returns the new session. With `email`, passkeys of other users are refused. */
async function askForPasskey(email?: string): Promise<Session> {
  const { options } = await ask(api.POST('/session/passkey'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await chosen<SignInCredential>(navigator.credentials.get({ publicKey }));
  return ask(
    api.POST('/session/passkey/response', { body: { credential, ...(email === undefined ? {} : { email }) } }),
  );
}

export async function addPasskey(name: string): Promise<void> {
  const { options } = await ask(api.POST('/passkeys/options'));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await chosen<NewCredential>(navigator.credentials.create({ publicKey }));
  await ask(api.POST('/passkeys', { body: { name, credential } }));
}

const MESSAGES: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used. Try again.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'Passkeys do not work at this address. Open the portal at the address that the marketplace gave you.',
};

async function chosen<T>(asking: Promise<Credential | null>): Promise<T> {
  try {
    return ((await asking) as PublicKeyCredential).toJSON() as T;
  } catch (error) {
    const message = MESSAGES[(error as Error).name] ?? String(error);
    throw new ApiError(0, [{ code: 'no_passkey', field: '', message }]);
  }
}
