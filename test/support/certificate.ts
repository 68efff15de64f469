/**
 * A fresh self-signed certificate and its key, as PEM. Written by hand because Node can read
 * certificates and not make them, and a key that lies in a repository is a bad habit.
 */
import { generateKeyPairSync, sign } from 'node:crypto'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** For `localhost` and `127.0.0.1`, until 2049. */
export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const name = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, text('localhost')))))
  const names = sequence(der(0x82, text('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])))
  const body = sequence(
    der(0xa0, integer(2)),
    integer(Date.now() % 0x7fffffff),
    algorithm,
    name,
    sequence(der(0x17, text('240101000000Z')), der(0x17, text('490101000000Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(oid(0x55, 0x1d, 0x11), der(0x04, names)),
        sequence(oid(0x55, 0x1d, 0x13), der(0x04, isAuthority)),
      ),
    ),
  )
  const signature = sign('sha256', body, privateKey)
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = whole.toString('base64').replace(/(.{64})/g, '$1\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts))
const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes))
const text = (value: string): Buffer => Buffer.from(value, 'ascii')

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32BE(value, 1)
  const start = bytes.findIndex((byte, at) => byte !== 0 || at === 4)
  const first = bytes[start] ?? 0
  // A first bit that is set would make it negative.
  return der(0x02, bytes.subarray(first > 127 ? start - 1 : start))
}
