/**
 * Bytes of a body ↔ how they are kept: as they are, packed, and encrypted where there is a secret. Neighbours: the
 * engines of `store/` call it for every piece and for what verdicts quote, `worker.ts` makes it. Knows no table.
 *
 * The number beside each piece says how it was kept, so that a store with plain pieces from before the secret was set
 * stays readable. Encryption is AES-256-GCM with a random nonce for each piece; the key is made by scrypt from the secret
 * and a salt that the store keeps. Beside the salt stands a check value: a wrong secret is told when the store is
 * opened, and not when somebody reads.
 */
import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parseObject, toText } from '../base/json.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { PieceCodec } from '../store/store.ts'

const PLAIN = 0
const PACKED = 1
/** Added to either. */
const ENCRYPTED = 2

/** To pack less costs more time than to write it: some 12 µs whatever the size, against 4 µs for each KB written. */
const MIN_PACKED = 1024
/**
 * Level 3 took 24 µs for the 12 KB of a stream of 100 chunks, level 1 took 31. Gzip and not raw deflate (20 µs): its
 * checksum shows at reading that a body is not what was written.
 */
const GZIP = { level: 3, chunkSize: 8192 }
/** What fits into a smaller window is packed with one: a third less time, and a third of the memory for each call. */
const SMALL_BYTES = 16 * 1024
const SMALL_GZIP = { level: 3, chunkSize: 4096, windowBits: 13, memLevel: 7 }
/** No piece is larger than a request may be; this ends what a broken file would make of one. */
const MAX_UNPACKED = 512 * 1024 * 1024

export function createCodec(secret?: string): PieceCodec {
  let key: Uint8Array | undefined
  return {
    open(kept) {
      if (secret === undefined) {
        if (kept === undefined) return undefined
        throw new SluiceError(
          'bad-config',
          'Cannot open the records without their secret: bodies in them are encrypted; set "store.key" to the one that was used',
        )
      }
      const opened = kept === undefined ? sealWith(secret) : unsealWith(secret, kept)
      key = opened.key
      return opened.kept
    },
    pack(bytes) {
      const packed = pack(bytes)
      if (secret === undefined) return packed
      return { codec: packed.codec | ENCRYPTED, bytes: encrypt(keyOf(key), packed.bytes) }
    },
    unpack(codec, bytes) {
      if (codec > (PACKED | ENCRYPTED))
        throw new SluiceError(
          'wrong-use',
          `Cannot read a body of form ${codec}: it was written by a newer version`,
        )
      const plain = (codec & ENCRYPTED) === 0 ? bytes : decrypt(keyOf(key), bytes)
      return (codec & PACKED) === 0
        ? plain
        : toPlain(gunzipSync(plain, { maxOutputLength: MAX_UNPACKED }))
    },
  }
}

function pack(bytes: Uint8Array): { readonly codec: number; readonly bytes: Uint8Array } {
  if (bytes.length < MIN_PACKED) return { codec: PLAIN, bytes }
  const packed = gzipSync(bytes, bytes.length <= SMALL_BYTES ? SMALL_GZIP : GZIP)
  return packed.length < bytes.length
    ? { codec: PACKED, bytes: toPlain(packed) }
    : { codec: PLAIN, bytes }
}

/** A `Buffer` is cloned to another thread as one, and compares as something else. */
const toPlain = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const NONCE = 12
const TAG = 16
const CIPHER = 'aes-256-gcm'

/** The nonce, what was encrypted, the tag. */
function encrypt(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce)
  return toPlain(Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]))
}

function decrypt(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const end = bytes.length - TAG
  if (end < NONCE) throw damaged()
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(end))
  try {
    return toPlain(Buffer.concat([decipher.update(bytes.subarray(NONCE, end)), decipher.final()]))
  } catch (error) {
    throw damaged(error)
  }
}

const damaged = (cause?: unknown): SluiceError =>
  new SluiceError('wrong-use', 'Cannot decrypt a body: it was changed after it was written', {
    cause,
  })

function keyOf(key: Uint8Array | undefined): Uint8Array {
  if (key === undefined)
    throw new SluiceError(
      'bad-config',
      'Cannot read an encrypted body without the secret: set "store.key" to the one that was used',
    )
  return key
}

interface Opened {
  readonly key: Uint8Array
  readonly kept: string
}

const SALT = 16
/** Some 50 ms, once per opening: what somebody pays who tries out secrets. */
const SCRYPT = { N: 16_384, r: 8, p: 1 }

function sealWith(secret: string): Opened {
  const salt = randomBytes(SALT)
  const { key, check } = deriveFrom(secret, salt)
  const kept = { version: 1, salt: salt.toString('hex'), check: check.toString('hex') }
  return { key, kept: JSON.stringify(kept) }
}

function unsealWith(secret: string, kept: string): Opened {
  const read = parseObject(kept)
  const salt = Buffer.from(toText(read?.['salt']) ?? '', 'hex')
  const expected = Buffer.from(toText(read?.['check']) ?? '', 'hex')
  if (read?.['version'] !== 1 || salt.length !== SALT)
    throw new SluiceError(
      'bad-config',
      'Cannot open the records: how they are encrypted is not known to this version',
    )
  const { key, check } = deriveFrom(secret, salt)
  if (expected.length !== check.length || !timingSafeEqual(expected, check))
    throw new SluiceError(
      'bad-config',
      'Cannot open the records: "store.key" is not the secret that they were encrypted with',
    )
  return { key, kept }
}

function deriveFrom(
  secret: string,
  salt: Uint8Array,
): { readonly key: Uint8Array; readonly check: Buffer } {
  const root = scryptSync(secret.normalize('NFKC'), salt, 32, SCRYPT)
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', root, salt, purpose, 32))
  return { key: toPlain(derive('sluice records: bodies')), check: derive('sluice records: check') }
}
