/**
 * The words in which a person is asked: a template with places, filled in from the call. Neighbours: `approve.ts`.
 * What the model wrote is shortened here and shown with care by whoever shows it.
 */
import { fullName, type BlockOf } from '../event/block.ts'
import type { PolicyContext } from '../policy/policy.ts'
import { readArgument } from './approve-arguments.ts'

/** Longer values are in the ticket. */
const MAX_VALUE = 200
const PLACE = /\{([^{}]{0,100})\}/g
const KNOWN = ['tool', 'model', 'client']

/** A sentence when a place is not known. */
export function checkQuestion(template: string): string | undefined {
  for (const [, name = ''] of template.matchAll(PLACE))
    if (!KNOWN.includes(name) && !/^args\.[^.]/.test(name))
      return 'a place in braces is not known: it takes {tool}, {model}, {client} and {args.NAME}'
  return undefined
}

export function toQuestion(
  template: string,
  call: BlockOf<'tool-call'>,
  { request, client }: PolicyContext,
): string {
  return template.replace(PLACE, (_, name: string) => {
    if (name === 'tool') return shorten(fullName(call))
    if (name === 'model') return shorten(request.model)
    if (name === 'client') return shorten(client.key ?? client.agent ?? 'a client')
    const value = readArgument(call.args(), name.split('.').slice(1))
    return shorten(typeof value === 'string' ? value : (JSON.stringify(value) ?? '(nothing)'))
  })
}

const shorten = (text: string): string =>
  text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`
