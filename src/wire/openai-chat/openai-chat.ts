/**
 * The wire of OpenAI Chat Completions. Neighbours: `../wire.ts` is the contract, `../wires.ts` the list.
 */
import { guard, guardDecoder, guardStage } from '../guard.ts'
import type { Wire } from '../wire.ts'
import { readAnswer, readFacts, writeAnswer } from './answer.ts'
import { createDecoder } from './decode.ts'
import { createEncoder } from './encode.ts'
import { createGrammar } from './grammar.ts'
import { NAME } from './json.ts'
import { recognise } from './recognise.ts'
import { readRequest, toEncoderOptions } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { readPiece } from './piece.ts'
import { readError, writeError } from './terms.ts'

export const openaiChat: Wire = {
  name: NAME,
  runKeys: {
    piece: ['content', 'refusal', 'reasoning_content', 'reasoning', 'arguments'],
    // In the details of reasoning, and beside the delta.
    echoes: ['text', 'summary'],
    texts: ['obfuscation'],
    numbers: ['created', 'token_id'],
    // Of the answer: a call has an id too, which says that it is another one.
    topTexts: ['id', 'system_fingerprint', 'p'],
  },
  readPiece,
  createDecoder: (options) => guardDecoder(createDecoder(options)),
  createEncoder,
  readAnswer: guard(readAnswer),
  readFacts,
  writeAnswer: guard(writeAnswer),
  readError,
  writeError,
  readRequest: guard(readRequest),
  writeRequest: guard(writeRequest),
  toEncoderOptions,
  createGrammar: () => guardStage(createGrammar()),
  recognise,
}
