/**
 * What policies ask of a request, from the request as it is read: on demand, so that what nobody asks for costs nothing.
 * Neighbours: `exchange/policy-request.ts` reads one under way, `replay/backtest-request.ts` one of the past.
 */
import type { TextPart } from '../request/part.ts'
import type { ModelRequest, Turn } from '../request/request.ts'
import type { Tool } from '../request/tool.ts'

export abstract class ReadableRequest {
  /** Once; `undefined` when it cannot be read. */
  abstract read(): ModelRequest | undefined

  system(): readonly TextPart[] {
    return this.read()?.system ?? []
  }

  turns(): readonly Turn[] {
    return this.read()?.turns ?? []
  }

  tools(): readonly Tool[] {
    return this.read()?.tools ?? []
  }

  tool(name: string, namespace?: string): Tool | undefined {
    const all = this.tools()
    return (
      all.find((tool) => tool.name === name && tool.namespace === namespace) ??
      all.find((tool) => tool.name === name)
    )
  }
}
