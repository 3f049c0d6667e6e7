/** Port for portal users, their one-time links, passwords and sessions, and for the activity log. */
import type { MerchantRole, PortalRole } from '../../domain/vocabulary/portal-roles.ts';

export interface PortalUser {
  /** Normalized; identifies the user. */
  readonly email: string;
  readonly role: PortalRole;
  /** Null for operators. */
  readonly merchantId: string | null;
  readonly createdMs: number;
}

export interface ListedPortalUser extends PortalUser {
  /** Null for users who sign in with a password. */
  readonly providerSubject: string | null;
  readonly lastSignInMs: number | null;
  /** Expiry of an unused link. */
  readonly invitedUntilMs: number | null;
  /** Number of passkeys. */
  readonly passkeys: number;
}

/** A link that lets its holder set a password, once. Only a hash of its token is stored. */
export interface OneTimeLink {
  readonly tokenHash: Uint8Array;
  readonly endsMs: number;
}

/** One token of a session. The token that replaces it has the same `sessionId`. */
export interface NewSession {
  readonly tokenHash: Uint8Array;
  readonly sessionId: string;
  readonly issuedMs: number;
  /** When the person last proved who they are, here or at the sign-in provider. Later tokens of the session keep it. */
  readonly signedInMs: number;
  /** Expires at this time unless it is used. */
  readonly idleEndsMs: number;
  readonly endsMs: number;
  /** Whether a password alone began it. False once the person has used or added a passkey, and for users of the provider. */
  readonly isByPassword: boolean;
}

export interface StoredSession extends Omit<NewSession, 'tokenHash'> {
  readonly user: PortalUser;
  /** Whether the person chose that the password alone is not enough. */
  readonly needsPasskey: boolean;
  /** The nonce from which the replacement token is derived; null if this token was not replaced. */
  readonly nextNonce: Uint8Array | null;
}

/** The new token. */
export interface SessionRotation extends Pick<NewSession, 'tokenHash' | 'issuedMs' | 'idleEndsMs'> {
  readonly nonce: Uint8Array;
  /** The old token works until this time. */
  readonly overlapEndsMs: number;
}

/** Passwords and sessions. None of these calls raises the settings version. */
export interface PortalSessionStore {
  /** Null: no password set yet. Undefined: no such user. */
  readPasswordHash(email: string): Promise<string | null | undefined>;
  /** Sets the password, ends all links and sessions of the user, and begins `session`, if any. Returns undefined as `readLink` does. */
  useLink(
    tokenHash: Uint8Array,
    passwordHash: string,
    session: NewSession | null,
    nowMs: number,
  ): Promise<PortalUser | undefined>;
  /** Sets the password to `to`, ends all links and sessions of the user, begins `session`. `changed`: the password is not `from`. */
  changePassword(email: string, from: string, to: string, session: NewSession): Promise<'stored' | 'changed'>;

  /** Adds a session if the user's password is still this one, and ends the oldest sessions beyond `sessions_max`. */
  addSession(
    email: string,
    passwordHash: string,
    session: NewSession,
    sessions_max: number,
  ): Promise<'stored' | 'changed'>;
  /** Adds a session of the provider's user, as `addSession` does. `changed`: there is no such user any more. */
  addProviderSession(subject: string, session: NewSession, sessions_max: number): Promise<'stored' | 'changed'>;
  /** Returns undefined for an unknown or expired token. */
  readSession(tokenHash: Uint8Array, nowMs: number): Promise<StoredSession | undefined>;
  extendSession(tokenHash: Uint8Array, idleEndsMs: number): Promise<void>;
  /** `overtaken`: the token was already replaced, or is gone. */
  rotateSession(tokenHash: Uint8Array, next: SessionRotation): Promise<'rotated' | 'overtaken'>;
  /** Ends the session with all its tokens. */
  endSession(sessionId: string): Promise<void>;
  /** Ends all sessions of the user except the given one. Returns how many it ended. */
  endSessions(email: string, exceptSessionId: string | null): Promise<number>;
  /** Drops some expired tokens. Returns whether more may be left. */
  dropEndedSessions(nowMs: number): Promise<boolean>;
}

export interface Passkey {
  /** Chosen by the authenticator, base64url. */
  readonly credentialId: string;
  readonly name: string;
  /** COSE. */
  readonly publicKey: Uint8Array;
  /** How often it was used, by the authenticator's count; 0 if it does not count. */
  readonly counter: number;
  readonly createdMs: number;
  readonly lastUsedMs: number | null;
}

/** What a user has chosen about passkeys. */
export interface OwnPasskeys {
  /** Given to authenticators, which return it at a sign-in. */
  readonly userId: number;
  /** As in `StoredSession`. */
  readonly needsPasskey: boolean;
  readonly isOfProvider: boolean;
  /** The oldest first. */
  readonly passkeys: readonly Passkey[];
}

/** The use of a passkey: its new counter, the time, and when the challenge that it signed was issued. */
export interface PasskeyUse {
  readonly counter: number;
  readonly usedMs: number;
  readonly challengeMs: number;
}

/** Passkeys. None of these calls raises the settings version. */
export interface PasskeyStore {
  /** Returns undefined if there is no such user. */
  readOwnPasskeys(email: string): Promise<OwnPasskeys | undefined>;
  readPasskey(credentialId: string): Promise<{ readonly passkey: Passkey; readonly user: PortalUser } | undefined>;
  /** Adds a passkey that the session of this id counts as having used. `exists`: it is already a passkey of this or another user. */
  addPasskey(
    email: string,
    passkey: Passkey,
    sessionId: string,
    passkeys_max: number,
  ): Promise<'stored' | 'exists' | 'full' | 'user_unknown'>;
  /**
   * Notes the use and adds a session, as `addSession` does, and the entry of the activity log, if any. `refused`: the passkey is gone, was
   * used after the challenge was issued, or its counter did not grow.
   */
  addPasskeySession(
    credentialId: string,
    use: PasskeyUse,
    session: NewSession,
    sessions_max: number,
    act: Act | null,
  ): Promise<'stored' | 'refused'>;
  /** `last`: it is the only one, and the user needs a passkey, by choice or because `isNeeded`. */
  removePasskey(email: string, credentialId: string, isNeeded: boolean): Promise<'stored' | 'unknown' | 'last'>;
  /** Removes all, after which the password alone is enough. Returns how many there were; undefined if there is no such user. */
  removePasskeys(email: string): Promise<number | undefined>;
  /** `none`: the user has no passkey. */
  setNeedsPasskey(email: string, needs: boolean): Promise<'stored' | 'none'>;
}

/** An entry of the activity log. */
export interface Act {
  readonly atMs: number;
  /** Email address, API key, `command line`, or `system`. */
  readonly by: string;
  /** Id of the call, or the words of the command. */
  readonly act: string;
  /** The object of the act; '' if the act itself names it. */
  readonly subject: string;
  readonly detail: string;
}

export interface RecordedAct extends Act {
  /** Higher for later acts. */
  readonly actId: number;
}

/** Omitted conditions match every act. */
export interface ActFilter {
  readonly act?: string;
  /** A part of the user, the subject or the details, in any case of ASCII letters. */
  readonly text?: string;
}

export interface PeopleStore extends PortalSessionStore, PasskeyStore {
  /** Adds the user with a first link. */
  addPortalUser(user: PortalUser, link: OneTimeLink): Promise<'stored' | 'exists' | 'merchant_unknown'>;
  /** Lists users in order of email, with expired links until they are dropped. */
  listPortalUsers(): Promise<readonly ListedPortalUser[]>;
  readPortalUser(email: string): Promise<PortalUser | undefined>;
  readProviderUser(subject: string): Promise<PortalUser | undefined>;
  /**
   * Adds the provider's user, or changes email, role and merchant, also in open sessions, and records the act with it.
   * `exists`: another user has the email.
   */
  putProviderUser(subject: string, user: PortalUser, act: Act): Promise<'stored' | 'exists' | 'merchant_unknown'>;
  /**
   * Changes the role, also in open sessions. Returns `unknown` for operators too, whose role is fixed, and `of_provider` for users of the provider. `by` is the admin or operator who
   * changes it, or null for the command line. Returns `forbidden` if that person is no longer an admin or operator.
   */
  setMerchantRole(
    email: string,
    role: MerchantRole,
    by: string | null,
  ): Promise<'stored' | 'unknown' | 'of_provider' | 'forbidden'>;
  /** Removes the user with all links and sessions. `by` has the same meaning as in `setMerchantRole`. */
  removePortalUser(email: string, by: string | null): Promise<'stored' | 'unknown' | 'forbidden'>;
  /** Replaces the links of the user, and drops all expired links. */
  replaceLink(email: string, link: OneTimeLink, nowMs: number): Promise<'stored' | 'unknown' | 'of_provider'>;
  /** Returns the user of the link; undefined for an unknown or expired token. */
  readLink(tokenHash: Uint8Array, nowMs: number): Promise<PortalUser | undefined>;

  addAct(act: Act): Promise<void>;
  /** Lists acts with ids below `before`, newest first. */
  listActs(before: number, limit: number, filter?: ActFilter): Promise<readonly RecordedAct[]>;
  /** Drops some acts. Returns whether more may be left. */
  dropActsBefore(timeMs: number): Promise<boolean>;
}
