/** Describes people who are signed in to the portal. */
import type { PortalRole } from '../domain/vocabulary/portal-roles.ts';

/** A signed-in person. */
export interface Person {
  readonly email: string;
  readonly role: PortalRole;
  /** The merchant of the person; null for operators. */
  readonly merchantId: string | null;
  /** Identifies the session across token rotations; never shown. */
  readonly sessionId: string;
  /** An operator who views the pages of this merchant, read-only. */
  readonly isViewing?: true;
  /** Sent with every change, so that other sites cannot forge requests. */
  readonly csrfToken: string;
}
