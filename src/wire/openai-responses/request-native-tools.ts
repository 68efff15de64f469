/**
 * The tools that this vendor's models know by their type and that the client runs: what they take, so that
 * a model which does not know them can be asked for the same. The arguments are what stands in the call's
 * own field (`action`, `operation`). Neighbours: `request-tools.ts`; `action-call.ts` writes such a call.
 */
import type { JsonObject } from '../../base/json.ts'
import type { ToolDialect } from '../../event/block.ts'

export interface NativeTool {
  readonly name: string
  readonly dialect: ToolDialect
  readonly description: string
  readonly schema: JsonObject
}

const TEXT = { type: 'string' }
const NUMBER = { type: 'integer' }

const LOCAL_SHELL: NativeTool = {
  name: 'local_shell',
  dialect: 'local-shell',
  description:
    "Runs one command on the user's machine and gives back its output. The command is a list: the program, then its arguments.",
  schema: {
    type: 'object',
    properties: {
      command: { type: 'array', items: TEXT },
      working_directory: TEXT,
      timeout_ms: NUMBER,
      env: { type: 'object', additionalProperties: TEXT },
    },
    required: ['command'],
  },
}

const SHELL: NativeTool = {
  name: 'shell',
  dialect: 'shell',
  description:
    "Runs shell commands on the user's machine, one after the other, and gives back their output.",
  schema: {
    type: 'object',
    properties: {
      commands: { type: 'array', items: TEXT },
      timeout_ms: NUMBER,
      max_output_length: NUMBER,
    },
    required: ['commands'],
  },
}

const APPLY_PATCH: NativeTool = {
  name: 'apply_patch',
  dialect: 'apply-patch',
  description:
    'Creates, changes or deletes one file. "diff" is a V4A diff: lines that begin with "+", "-" or a space, under "@@" lines; for a new file all begin with "+". A deletion has none.',
  schema: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
      path: TEXT,
      diff: TEXT,
    },
    required: ['type', 'path'],
  },
}

const COMPUTER: NativeTool = {
  name: 'computer',
  dialect: 'computer',
  description: "Does one thing on the user's screen and gives back a screenshot.",
  schema: {
    type: 'object',
    properties: {
      type: {
        type: 'string',
        enum: [
          'click',
          'double_click',
          'drag',
          'keypress',
          'move',
          'screenshot',
          'scroll',
          'type',
          'wait',
        ],
      },
      x: NUMBER,
      y: NUMBER,
      button: { type: 'string', enum: ['left', 'right', 'wheel', 'back', 'forward'] },
      scroll_x: NUMBER,
      scroll_y: NUMBER,
      keys: { type: 'array', items: TEXT },
      text: TEXT,
      path: {
        type: 'array',
        items: { type: 'object', properties: { x: NUMBER, y: NUMBER }, required: ['x', 'y'] },
      },
    },
    required: ['type'],
  },
}

const NATIVE: Readonly<Record<string, NativeTool>> = {
  local_shell: LOCAL_SHELL,
  shell: SHELL,
  apply_patch: APPLY_PATCH,
  computer: COMPUTER,
  computer_use_preview: COMPUTER,
}

/** By the tool's type. */
export const nativeTool = (type: string): NativeTool | undefined =>
  Object.hasOwn(NATIVE, type) ? NATIVE[type] : undefined
