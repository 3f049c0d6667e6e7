/** A passkey in software: creates a key pair and signs challenges as an authenticator does, with attestation "none" and ES256. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const FLAGS = { userPresent: 1, userVerified: 4, attestedData: 64 };

/** What is wrong about a response. */
export interface Forgery {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly isUnverified?: boolean;
  readonly isSignedByOther?: boolean;
}

interface Options {
  readonly challenge: string;
}

export class SoftwarePasskey {
  readonly id = randomBytes(16).toString('base64url');
  readonly #origin: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  /** Counts uses; 0 for an authenticator that does not count. */
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Returns the credential as `navigator.credentials.create` does. */
  create(options: Options, forgery: Forgery = {}) {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const bytes = (text: string) => cborBytes(Buffer.from(text, 'base64url'));
    // Key type EC2, algorithm ES256, curve P-256, x, y.
    const publicKey = Buffer.concat([
      ...[Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]), bytes(x), Buffer.from([0x22]), bytes(y)],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, publicKey]);
    const authData = this.#authenticatorData(FLAGS.attestedData, forgery, attested);
    const attestationObject = Buffer.concat([
      ...[Buffer.from([0xa3]), cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(authData)],
    ]);
    const clientData = this.#clientData('webauthn.create', options, forgery);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
    });
  }

  /** Returns the credential as `navigator.credentials.get` does. */
  get(options: Options, forgery: Forgery = {}) {
    const authenticatorData = this.#authenticatorData(0, forgery);
    const clientData = this.#clientData('webauthn.get', options, forgery);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    const { privateKey } = forgery.isSignedByOther ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : this.#keys;
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, privateKey).toString('base64url'),
    });
  }

  #credential<T>(response: T) {
    return { id: this.id, rawId: this.id, type: 'public-key', response };
  }

  #clientData(type: string, { challenge }: Options, forgery: Forgery): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false, ...forgery }));
  }

  #authenticatorData(more: number, { rpId, isUnverified }: Forgery, attested = Buffer.alloc(0)): Buffer {
    const flags = FLAGS.userPresent + (isUnverified ? 0 : FLAGS.userVerified) + more;
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(this.counter, 1);
    const hash = createHash('sha256').update(rpId ?? new URL(this.#origin).hostname);
    return Buffer.concat([hash.digest(), head, attested]);
  }
}

function cborBytes(bytes: Buffer): Buffer {
  const head =
    bytes.length < 24
      ? [0x40 + bytes.length]
      : bytes.length < 256
        ? [0x58, bytes.length]
        : [0x59, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** For texts of at most 23 characters. */
function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}
