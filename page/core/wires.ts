/**
 * The three wires as far as the page needs them: what reads, and nothing that writes. The same decoders, grammars and
 * readers as in the gateway (`src/wire`); the whole wires would weigh a fifth of the page. Neighbours: whoever shows bytes.
 */
import type { JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import { readAnswer as readMessage } from '../../src/wire/anthropic-messages/answer.ts'
import { createDecoder as decodeMessages } from '../../src/wire/anthropic-messages/decode.ts'
import { createGrammar as messagesGrammar } from '../../src/wire/anthropic-messages/grammar.ts'
import { recognise as recogniseMessages } from '../../src/wire/anthropic-messages/recognise.ts'
import { readRequest as readMessages } from '../../src/wire/anthropic-messages/request-read.ts'
import { readError as readMessagesError } from '../../src/wire/anthropic-messages/terms.ts'
import { guard, guardStage } from '../../src/wire/guard.ts'
import { readAnswer as readCompletion } from '../../src/wire/openai-chat/answer.ts'
import { createDecoder as decodeChat } from '../../src/wire/openai-chat/decode.ts'
import { createGrammar as chatGrammar } from '../../src/wire/openai-chat/grammar.ts'
import { recognise as recogniseChat } from '../../src/wire/openai-chat/recognise.ts'
import { readRequest as readChat } from '../../src/wire/openai-chat/request-read.ts'
import { readError as readChatError } from '../../src/wire/openai-chat/terms.ts'
import { readAnswer as readResponse } from '../../src/wire/openai-responses/answer.ts'
import { createDecoder as decodeResponses } from '../../src/wire/openai-responses/decode.ts'
import { createGrammar as responsesGrammar } from '../../src/wire/openai-responses/grammar.ts'
import { recognise as recogniseResponses } from '../../src/wire/openai-responses/recognise.ts'
import { readRequest as readResponses } from '../../src/wire/openai-responses/request-read.ts'
import { readError as readResponsesError } from '../../src/wire/openai-responses/terms.ts'
import type { Recognised, Wire } from '../../src/wire/wire.ts'

type ReadingWire = Pick<
  Wire,
  'createDecoder' | 'createGrammar' | 'readAnswer' | 'readError' | 'readRequest' | 'recognise'
>

export const WIRES: Readonly<Record<WireName, ReadingWire>> = {
  'anthropic-messages': {
    createDecoder: (options) => guardStage(decodeMessages(options)),
    createGrammar: () => guardStage(messagesGrammar()),
    readAnswer: guard(readMessage),
    readError: readMessagesError,
    readRequest: guard(readMessages),
    recognise: recogniseMessages,
  },
  'openai-chat': {
    createDecoder: (options) => guardStage(decodeChat(options)),
    createGrammar: () => guardStage(chatGrammar()),
    readAnswer: guard(readCompletion),
    readError: readChatError,
    readRequest: guard(readChat),
    recognise: recogniseChat,
  },
  'openai-responses': {
    createDecoder: (options) => guardStage(decodeResponses(options)),
    createGrammar: () => guardStage(responsesGrammar()),
    readAnswer: guard(readResponse),
    readError: readResponsesError,
    readRequest: guard(readResponses),
    recognise: recogniseResponses,
  },
}

const NAMES: readonly WireName[] = ['anthropic-messages', 'openai-chat', 'openai-responses']

export const isWireName = (name: string): name is WireName => Object.hasOwn(WIRES, name)

/** Which wires that JSON could be of, and what it is there. More than one only for bare errors. */
export const recogniseWires = (json: JsonObject): readonly { wire: WireName; as: Recognised }[] =>
  NAMES.flatMap((wire) => {
    const as = WIRES[wire].recognise(json)
    return as === undefined ? [] : [{ wire, as }]
  })
