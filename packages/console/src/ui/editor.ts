// The text editor of both pages: CodeMirror 6 with the console's colours. Each editor lives in a shadow root, because
// there CodeMirror adopts its style sheets, while in the document it would add <style> elements, which our
// Content-Security-Policy forbids.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { linter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';

import { h } from './element.ts';

/** An editor on the page. */
export interface Editor {
  readonly element: HTMLElement;
  readonly view: EditorView;
  text(): string;
  replace(text: string): void;
}

interface EditorOptions {
  readonly label: string;
  readonly text: string;
  readonly extensions: readonly Extension[];
  readonly readOnly?: boolean;
  readonly hint?: string;
  /** Ctrl+Enter or ⌘+Enter. */
  readonly onRun?: () => void;
  readonly onChange?: (text: string) => void;
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '12px 0' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none', paddingLeft: '6px' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--line-active)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection) !important',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)', outline: 'none' },
  // Without the focus there is no cursor whose bracket could be meant.
  '&:not(.cm-focused) .cm-matchingBracket': { backgroundColor: 'transparent' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--muted)', padding: '0 6px' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12.5px', maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { opacity: '0.75', marginLeft: '1em', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': {
    padding: '8px 10px',
    maxWidth: '320px',
    fontFamily: 'var(--sans)',
    fontSize: '13px',
  },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', fontSize: '13px', padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--danger)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--code-name)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.integer, tags.float], color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null, tags.atom, tags.special(tags.name)], color: 'var(--code-atom)' },
  { tag: [tags.keyword, tags.definitionKeyword, tags.definitionOperator], color: 'var(--code-keyword)' },
  { tag: [tags.typeName, tags.className], color: 'var(--code-type)' },
  { tag: [tags.variableName, tags.definition(tags.variableName)], color: 'var(--code-atom)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.brace, tags.paren, tags.squareBracket], color: 'var(--muted)' },
]);

/** Makes an editor. */
export function createEditor(options: EditorOptions): Editor {
  const element = h('div', { class: 'editor' });
  const root = element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(':host { display: block; min-height: 0; overflow: hidden } :host > div { height: 100% }');
  root.adoptedStyleSheets = [sheet];
  const state = EditorState.create({ doc: options.text, extensions: extensionsOf(options) });
  const view = new EditorView({ state, root, parent: root });
  return {
    element,
    view,
    text: () => view.state.doc.toString(),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
  };
}

/** The extensions of a JSON text that is written; mistakes are marked as they are typed. */
export function jsonWriting(): readonly Extension[] {
  const parse = jsonParseLinter();
  return [json(), linter((view) => (view.state.doc.toString().trim() === '' ? [] : parse(view)))];
}

/** The extensions of a JSON text that is only read. */
export function jsonReading(): readonly Extension[] {
  return [json()];
}

function extensionsOf({ label, extensions, readOnly, hint, onRun, onChange }: EditorOptions): Extension[] {
  const run = { key: 'Mod-Enter', preventDefault: true, run: () => (onRun?.(), onRun !== undefined) };
  const keys = [
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...completionKeymap,
    ...lintKeymap,
  ];
  const writing = [
    history(),
    closeBrackets(),
    autocompletion(),
    indentOnInput(),
    highlightActiveLine(),
    // Tab is left to the browser: keyboard users must be able to leave the editor (WCAG 2.1.2).
    keymap.of([run, ...keys]),
  ];
  const reading = [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    keymap.of([...defaultKeymap, ...foldKeymap]),
  ];
  return [
    lineNumbers(),
    foldGutter(),
    drawSelection(),
    bracketMatching(),
    syntaxHighlighting(highlight),
    theme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, ...(readOnly === true ? { tabindex: '0' } : {}) }),
    EditorState.tabSize.of(2),
    ...(hint === undefined ? [] : [placeholder(hint)]),
    ...(onChange === undefined
      ? []
      : [EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString()))]),
    ...(readOnly === true ? reading : writing),
    ...extensions,
  ];
}
