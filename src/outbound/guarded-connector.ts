/**
 * Opens connections to public addresses only. It replaces the function with which undici opens sockets, because every request
 * and every redirect passes there.
 *
 * It checks three times, because each check covers a gap of the others. A literal address never reaches the lookup. A
 * name is resolved once, all its addresses are checked, and only these are used, so a second DNS response changes
 * nothing. The address of the open socket is checked again, in case an earlier check has a gap.
 */
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AllowedHosts } from './allowed-hosts.ts';
import { HostUnknownError, type ResolveHost } from './resolve-host.ts';
import { AddressNotPublicError, isPublicAddress } from './safe-address.ts';

export interface GuardOptions {
  readonly allowed: AllowedHosts;
  readonly resolvePublic: ResolveHost;
  readonly resolveAllowed: ResolveHost;
  readonly resolved_addresses_max: number;
  readonly connect_ms_max: number;
  /** Certificates trusted in addition to the usual ones; for tests and intranets. */
  readonly ca?: string;
}

export function guardedConnector(options: GuardOptions): buildConnector.connector {
  const connect = (lookup: LookupFunction) =>
    buildConnector({
      lookup,
      // HTTP/2 has its own flood attacks, and gains nothing with four requests per host.
      allowH2: false,
      timeout: options.connect_ms_max,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
  const connectPublic = connect(lookupBy(options.resolvePublic, options, true));
  const connectAllowed = connect(lookupBy(options.resolveAllowed, options, false));

  return (target, callback) => {
    const kind = options.allowed.kindOf(target);
    if (kind === 'allowed') {
      connectAllowed(target, callback);
      return;
    }
    if (kind === 'private') {
      callback(new AddressNotPublicError(target.hostname), null);
      return;
    }
    connectPublic(target, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else if (hasPublicPeer(socket)) callback(null, socket);
      else {
        socket.destroy();
        callback(new AddressNotPublicError(target.hostname), null);
      }
    });
  };
}

function hasPublicPeer(socket: Socket): boolean {
  return socket.remoteAddress !== undefined && isPublicAddress(socket.remoteAddress);
}

/** Refuses a name with any private address, because chance or an attacker decides which address is used. */
function lookupBy(resolve: ResolveHost, options: GuardOptions, onlyPublic: boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    const settle = (found: readonly string[]) => {
      if (onlyPublic && !found.every(isPublicAddress)) throw new AddressNotPublicError(hostname);
      const addresses = found
        .slice(0, options.resolved_addresses_max)
        .map((address) => ({ address, family: isIP(address) }));
      const [first] = addresses;
      if (first === undefined) throw new HostUnknownError(hostname);
      return { addresses, first };
    };
    resolve(hostname)
      .catch((cause: unknown) => Promise.reject(new HostUnknownError(hostname, cause)))
      .then(settle)
      .then(
        ({ addresses, first }) => {
          if (all === true) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, ''),
      );
  };
}
