/**
 * A tool call → `CallFacts`: the commands it runs and the files it touches, whoever calls it by whatever name.
 * Neighbours: `tools.ts` knows the tools of all clients, `shell/` reads commands, `code.ts` programs, `patch.ts`
 * patches; `workspace.ts` finds the folder. Never throws, and takes time in proportion to what it is given, up to
 * the limits in `findings.ts`.
 */
import { readCode } from './code.ts'
import type { CallFacts } from './facts.ts'
import { createFindings, type Findings } from './findings.ts'
import { addPatch } from './patch.ts'
import { resolvePath } from './paths.ts'
import { readShell } from './shell/read-shell.ts'
import type { Ask } from './tool-arguments.ts'
import { readTool, type FactCall } from './tools.ts'

export type { FactCall } from './tools.ts'
export { findWorkspace } from './workspace.ts'

export interface FactOptions {
  /** The folder that the agent works in; see `findWorkspace`. */
  readonly workspace?: string | undefined
}

export function readFacts(call: FactCall, options: FactOptions = {}): CallFacts {
  const findings = createFindings(options.workspace ?? '')
  for (const ask of readTool(call)) follow(findings, ask)
  return findings.toFacts()
}

function follow(findings: Findings, ask: Ask): void {
  const { workspace } = findings
  switch (ask.type) {
    case 'text':
      findings.use(ask.text)
      return readShell(findings, resolvePath(workspace, ask.folder), ask)
    case 'words':
      findings.use(ask.words.join(' '))
      return readShell(findings, resolvePath(workspace, ask.folder), ask)
    case 'code':
      return followCode(findings, ask)
    case 'patch':
      return addPatch(findings, ask.text, (path) => [
        resolvePath(resolvePath(workspace, ask.folder), path),
      ])
    case 'file':
      return findings.file(ask.use, resolvePath(workspace, ask.path))
    case 'unread':
      findings.use('')
      return findings.markUnread()
  }
}

/** A program: only where it runs a command does the call use a shell. */
function followCode(
  findings: Findings,
  { text, language, folder }: Extract<Ask, { type: 'code' }>,
): void {
  const { workspace } = findings
  if (!findings.spendText(text.length)) return findings.use('')
  for (const found of readCode(text, language)) {
    switch (found.type) {
      case 'shell':
        findings.use(found.text)
        readShell(findings, resolvePath(workspace, found.folder ?? folder), {
          type: 'text',
          text: found.text,
          isKnown: found.isKnown,
        })
        break
      case 'words':
        findings.use(found.words.join(' '))
        readShell(findings, resolvePath(workspace, folder), found)
        break
      case 'patch':
        addPatch(findings, found.text, (path) => [
          resolvePath(resolvePath(workspace, folder), path),
        ])
        break
      case 'file':
        findings.file(found.use, resolvePath(resolvePath(workspace, folder), found.path))
        break
      case 'opaque':
        findings.use('')
        findings.markOpaque()
        break
      case 'unread':
        findings.use('')
        findings.markUnread()
    }
  }
}
