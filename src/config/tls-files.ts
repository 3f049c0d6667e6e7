/** Reads the TLS certificate and key at the start and reports mistakes with the name of the setting. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SettingError } from './settings.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** When the certificate ends. */
  readonly certEndsMs: number;
}

/** Undefined when the server is to speak plain HTTP. */
export function readTlsFiles(settings: {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}): TlsFiles | undefined {
  const { tlsCert, tlsKey } = settings;
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const cert = readFile('TLS_CERT', tlsCert);
  const key = readFile('TLS_KEY', tlsKey);
  const certificate = parse('TLS_CERT', tlsCert, 'a PEM certificate', () => new X509Certificate(cert));
  const privateKey = parse('TLS_KEY', tlsKey, 'a PEM private key without a pass phrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new SettingError(`TLS_KEY must be the key of the certificate in TLS_CERT (${tlsKey} is not)`);
  }
  return { cert, key, certEndsMs: certificate.validToDate.getTime() };
}

function readFile(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EACCES' ? 'the user of the server may not read it' : code;
    throw new SettingError(`${setting} must name a file that can be read (${file}: ${reason})`);
  }
}

function parse<T>(setting: string, file: string, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new SettingError(`${setting} must name ${what} (${file} holds none)`);
  }
}
