/**
 * Certificates and keys that a config names: a path → the PEM text, looked at before anybody relies on
 * it. Neighbours: `shape.ts` uses the fields, `load.ts` reads the files. What is in a file is never shown.
 */
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { refuse, type Field } from './field.ts'
import { text } from './text.ts'

const path = text({ takes: 'the path of a PEM file', maxLength: 4096 })

/** A file that holds something between `-----BEGIN <label>-----` lines. */
function pem(label: RegExp, noun: string, check: (pem: string) => boolean): Field<string> {
  return {
    schema: path.schema,
    read(spot, reading) {
      const name = path.read(spot, reading)
      const found = name === undefined ? undefined : reading.readFile(name, spot)
      if (found === undefined) return undefined
      if (!label.test(found)) return refuse(spot, reading, `the file holds no ${noun} as PEM`)
      return check(found)
        ? found
        : refuse(spot, reading, `the file holds a ${noun} that cannot be read`)
    },
  }
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/
const EACH = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----[^-]*-----END [A-Z0-9 ]*CERTIFICATE-----/g

/** One certificate, or a chain or bundle of them. */
export const certificates: Field<string> = pem(CERTIFICATE, 'certificate', (found) => {
  const each = found.match(EACH) ?? []
  return each.length > 0 && each.every(isCertificate)
})

/** Whether it can be used is seen together with its certificate. */
export const privateKey: Field<string> = pem(
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'private key',
  () => true,
)

function isCertificate(one: string): boolean {
  try {
    return new X509Certificate(one).subject !== null
  } catch {
    return false
  }
}

/** A sentence when the two cannot serve TLS together. */
export function checkPair(cert: string, key: string): string | undefined {
  if (/ENCRYPTED/.test(key)) return 'the private key is encrypted: give one without a passphrase'
  try {
    createSecureContext({ cert, key })
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'
      ? 'the private key does not belong to the certificate'
      : 'the private key cannot be read'
  }
}
