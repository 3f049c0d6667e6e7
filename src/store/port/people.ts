/** Port of portal users, their one-time links, passwords and sessions, and of the activity log. */
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';

/** A person who may sign in to the portal. */
export interface PortalUser {
  /** Normalised; the portal's name for the person. */
  readonly email: string;
  readonly role: PortalRole;
  /** Null for operators, who belong to none. */
  readonly merchantId: string | null;
  readonly createdMs: number;
}

export interface ListedPortalUser extends PortalUser {
  readonly lastSignInMs: number | null;
  /** End of the link that was handed out and not used yet. */
  readonly invitedUntilMs: number | null;
}

/** A link that lets its holder set a password, once; only a hash of its token is stored. */
export interface OneTimeLink {
  readonly tokenHash: Uint8Array;
  readonly endsMs: number;
}

/** Part of the setup: portal users and the links by which they set a password. */
interface PortalUserStore {
  /** With a first link. `merchant_unknown`: the merchant of the user does not exist. */
  addPortalUser(user: PortalUser, link: OneTimeLink): Promise<'stored' | 'exists' | 'merchant_unknown'>;
  /** In order of e-mail; a link that ended is still shown until it is dropped. */
  listPortalUsers(): Promise<readonly ListedPortalUser[]>;
  readPortalUser(email: string): Promise<PortalUser | undefined>;
  /** With the links and sessions. */
  removePortalUser(email: string): Promise<'stored' | 'unknown'>;
  /** Replaces the links that the user has; links past their end, of anybody, are dropped. */
  replaceLink(email: string, link: OneTimeLink, nowMs: number): Promise<'stored' | 'unknown'>;
  /** Whom the link is for; undefined when there is none with this token, or its time is over. */
  readLink(tokenHash: Uint8Array, nowMs: number): Promise<PortalUser | undefined>;
}

/** Of one token of a session; the token that replaces it has the same `sessionId`. */
export interface NewSession {
  readonly tokenHash: Uint8Array;
  readonly sessionId: string;
  readonly issuedMs: number;
  /** Where it is not used until then. */
  readonly idleEndsMs: number;
  readonly endsMs: number;
}

export interface StoredSession extends Omit<NewSession, 'tokenHash'> {
  readonly user: PortalUser;
  /** Makes the token that has replaced this one; null where none has. */
  readonly nextNonce: Uint8Array | null;
}

export interface SessionRotation {
  /** Of the token that replaces it. */
  readonly tokenHash: Uint8Array;
  readonly nonce: Uint8Array;
  readonly issuedMs: number;
  readonly idleEndsMs: number;
  /** Until when the replaced one goes on working. */
  readonly overlapEndsMs: number;
}

/** Passwords and sessions. Nothing here moves the setup version. */
export interface PortalSessionStore {
  /** `null` where the user has set none yet, undefined where there is no such user. */
  readPasswordHash(email: string): Promise<string | null | undefined>;
  /**
   * Uses the link up: sets the password, and ends all links and sessions of the user. `session` begins then, where there
   * is one. Undefined as for `readLink`.
   */
  useLink(
    tokenHash: Uint8Array,
    passwordHash: string,
    session: NewSession | null,
    nowMs: number,
  ): Promise<PortalUser | undefined>;
  /** Ends all links and sessions of the user; `session` begins. `changed`: the password is no longer the first one. */
  changePassword(email: string, from: string, to: string, session: NewSession): Promise<'stored' | 'changed'>;

  /** For a user whose password is still this one. Notes the time; the oldest sessions beyond so many end. */
  addSession(
    email: string,
    passwordHash: string,
    session: NewSession,
    sessions_max: number,
  ): Promise<'stored' | 'changed'>;
  /** Undefined when there is none with this token, or its time is over. */
  readSession(tokenHash: Uint8Array, nowMs: number): Promise<StoredSession | undefined>;
  extendSession(tokenHash: Uint8Array, idleEndsMs: number): Promise<void>;
  /** Once for each token: `overtaken` where it was replaced already, or is gone. */
  rotateSession(tokenHash: Uint8Array, next: SessionRotation): Promise<'rotated' | 'overtaken'>;
  /** With all its tokens. */
  endSession(sessionId: string): Promise<void>;
  /** All of the user but one. Says how many. */
  endSessions(email: string, exceptSessionId: string | null): Promise<number>;
  /** Says how many. */
  dropEndedSessions(nowMs: number): Promise<number>;
}

/** Something that an operator did. */
export interface Act {
  readonly atMs: number;
  /** E-mail address, or `command line`. */
  readonly by: string;
  /** Id of the call, or the words of the command. */
  readonly act: string;
  /** What it was done to; '' where that goes without saying. */
  readonly subject: string;
  readonly detail: string;
}

export interface RecordedAct extends Act {
  /** Newer ones have higher numbers. */
  readonly actId: number;
}

interface ActStore {
  addAct(act: Act): Promise<void>;
  /** Newest first, from below `before`. */
  listActs(before: number, limit: number): Promise<readonly RecordedAct[]>;
  /** Says how many. */
  dropActsBefore(timeMs: number): Promise<number>;
}

export interface PeopleStore extends PortalUserStore, PortalSessionStore, ActStore {}
