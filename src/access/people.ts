/** In charge of people who have signed in to the portal. */
import type { PortalRole } from '../domain/vocabulary/portal-roles.ts';

/** Somebody who has signed in. */
export interface Person {
  readonly email: string;
  readonly role: PortalRole;
  /** Null for operators. */
  readonly merchantId: string | null;
  /** Of the session with all its tokens; never shown. */
  readonly sessionId: string;
  /** Sent with every change, so that no other site can make this browser change anything. */
  readonly csrfToken: string;
}
