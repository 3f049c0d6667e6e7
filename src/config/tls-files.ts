/** Reads the TLS certificate and key at startup, and names the setting in errors. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SettingError } from './settings.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** When the certificate expires. */
  readonly certEndsMs: number;
}

/** Returns undefined for plain HTTP. */
export function readTlsFiles(settings: {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}): TlsFiles | undefined {
  const { tlsCert, tlsKey } = settings;
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const cert = readFile('TLS_CERT', tlsCert);
  const key = readFile('TLS_KEY', tlsKey);
  const certificate = parse('TLS_CERT', tlsCert, 'a PEM certificate', () => new X509Certificate(cert));
  const privateKey = parse('TLS_KEY', tlsKey, 'a PEM private key without a passphrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new SettingError(`TLS_KEY must be the private key for the certificate in TLS_CERT (${tlsKey} is not)`);
  }
  return { cert, key, certEndsMs: certificate.validToDate.getTime() };
}

function readFile(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EACCES' ? "the server's user has no read permission" : code;
    throw new SettingError(`${setting} must name a file that can be read (${file}: ${reason})`);
  }
}

function parse<T>(setting: string, file: string, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new SettingError(`${setting} must name ${what} (${file} does not contain one)`);
  }
}
