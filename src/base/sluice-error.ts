/**
 * The one error of this project. What is expected (a bad frame, a cut stream) is a value and not an
 * error; this class is for what a caller must handle: a limit that was passed, an input that is no
 * stream. Imports nothing.
 */
export type SluiceErrorCode =
  /** One SSE frame or JSON line grew over the framer's limit. */
  | 'frame-too-large'
  /** A message grew over the assembler's limit. */
  | 'message-too-large'
  /** JSON in the stream is nested so deep that it cannot be written again. */
  | 'too-deep'
  /** The input is empty, binary, or in no format we know. */
  | 'not-a-stream'
  /** The input is a stream, but of another wire than the one named. */
  | 'wrong-wire'
  /** A command or function was used in a way that cannot work. */
  | 'wrong-use'
  /** The settings are not right; the message lists every mistake, one a line. */
  | 'bad-config'
  /** An upstream that we asked on our own account could not answer now; asked again, it may. */
  | 'upstream-failed'
  /** It would say the same again: no such model, no credential, a request that it does not take. */
  | 'upstream-refused'

/** An error with a code that a program can tell apart and a sentence that a person can act on. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  readonly code: SluiceErrorCode

  constructor(code: SluiceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
