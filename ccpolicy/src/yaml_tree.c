/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "yaml_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/reader.h"

struct builder {
	struct ccp_tree *tree;
	struct ccp_error *error;
	uint32_t depth;
	uint32_t open[CCP_TREE_MAX_DEPTH];       /* collections that are not closed yet */
	uint32_t last_child[CCP_TREE_MAX_DEPTH]; /* of each, or CCP_TREE_NONE */
};

static int fail_at_mark(struct builder *b, yaml_mark_t mark, const char *sentence)
{
	return ccp_fail_at(b->error, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1, "%s", sentence);
}

static int fail_as_parser(struct builder *b, const yaml_parser_t *parser)
{
	uint32_t line = (uint32_t)parser->problem_mark.line + 1;
	uint32_t column = (uint32_t)parser->problem_mark.column + 1;

	switch (parser->error) {
	case YAML_MEMORY_ERROR:
		return ccp_fail_no_memory(b->error);
	case YAML_READER_ERROR:
		return ccp_fail(b->error, "the text is not UTF-8 at byte %zu: %s", parser->problem_offset,
				parser->problem ? parser->problem : "unreadable character");
	default:
		return ccp_fail_at(b->error, line, column, "this is not YAML: %s%s%s", parser->context ? parser->context : "",
				   parser->context ? ", " : "", parser->problem ? parser->problem : "syntax error");
	}
}

/* Makes room for one more node and appends it to the collection that is open; returns its index or CCP_TREE_NONE. */
static uint32_t add_node(struct builder *b, enum ccp_tree_kind kind, yaml_mark_t mark)
{
	struct ccp_tree *tree = b->tree;

	if (tree->num_nodes == tree->capacity) {
		uint32_t capacity = tree->capacity ? tree->capacity * 2 : 64;
		struct ccp_tree_node *nodes = realloc(tree->nodes, capacity * sizeof(*nodes));
		if (!nodes)
			return CCP_TREE_NONE;
		tree->nodes = nodes;
		tree->capacity = capacity;
	}
	uint32_t index = tree->num_nodes++;
	tree->nodes[index] = (struct ccp_tree_node){
		.kind = kind,
		.line = (uint32_t)mark.line + 1,
		.column = (uint32_t)mark.column + 1,
		.first = CCP_TREE_NONE,
		.next = CCP_TREE_NONE,
	};
	if (b->depth) {
		struct ccp_tree_node *parent = &tree->nodes[b->open[b->depth - 1]];
		uint32_t *last = &b->last_child[b->depth - 1];
		if (*last == CCP_TREE_NONE)
			parent->first = index;
		else
			tree->nodes[*last].next = index;
		*last = index;
		parent->count++;
	}
	return index;
}

static bool add_text(struct ccp_tree *tree, struct ccp_tree_node *node, const char *text, size_t length)
{
	if (tree->texts_capacity - tree->texts_length <= length) {
		size_t capacity = 2 * tree->texts_capacity + length + 1024;
		char *texts = realloc(tree->texts, capacity);
		if (!texts)
			return false;
		tree->texts = texts;
		tree->texts_capacity = capacity;
	}
	node->text = tree->texts_length;
	node->length = length;
	memcpy(tree->texts + node->text, text, length);
	tree->texts[node->text + length] = '\0';
	tree->texts_length += length + 1;
	return true;
}

static int add_scalar(struct builder *b, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;
	uint32_t index = add_node(b, CCP_TREE_SCALAR, event->start_mark);

	if (index == CCP_TREE_NONE || !add_text(b->tree, &b->tree->nodes[index], text, length))
		return ccp_fail_no_memory(b->error);
	struct ccp_scalar *scalar = &b->tree->nodes[index].scalar;
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		*scalar = ccp_scalar_resolve(text, length);
	else
		scalar->kind = CCP_SCALAR_STRING;
	return 0;
}

static int open_collection(struct builder *b, enum ccp_tree_kind kind, yaml_mark_t mark)
{
	if (b->depth == CCP_TREE_MAX_DEPTH)
		return fail_at_mark(b, mark, "lists and maps are nested more than 16 deep here, and no profile is");
	uint32_t index = add_node(b, kind, mark);
	if (index == CCP_TREE_NONE)
		return ccp_fail_no_memory(b->error);
	b->open[b->depth] = index;
	b->last_child[b->depth] = CCP_TREE_NONE;
	b->depth++;
	return 0;
}

static int check_plainness(struct builder *b, const yaml_event_t *event, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor)
		return fail_at_mark(b, event->start_mark, "anchors (&name) are not read: write each value out where it applies");
	if (tag)
		return fail_at_mark(b, event->start_mark,
				    "tags (!name) are not read: leave the tag out, quote what is to be a string");
	return 0;
}

static int check_document_start(struct builder *b, const yaml_event_t *event)
{
	const yaml_version_directive_t *version = event->data.document_start.version_directive;

	if (b->tree->num_nodes)
		return fail_at_mark(b, event->start_mark, "a second document starts here, and a profile is one document");
	if (version && (version->major != 1 || version->minor != 2))
		return fail_at_mark(b, event->start_mark,
				    "the %YAML directive asks for another version, and profiles are YAML 1.2");
	if (event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
		return fail_at_mark(b, event->start_mark, "%TAG directives are not read: leave the directive out");
	return 0;
}

static int take_event(struct builder *b, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		return check_document_start(b, event);
	case YAML_ALIAS_EVENT:
		return fail_at_mark(b, event->start_mark, "aliases (*name) are not read: write each value out where it applies");
	case YAML_SCALAR_EVENT:
		if (check_plainness(b, event, event->data.scalar.anchor, event->data.scalar.tag))
			return -1;
		return add_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
		if (check_plainness(b, event, event->data.sequence_start.anchor, event->data.sequence_start.tag))
			return -1;
		return open_collection(b, CCP_TREE_LIST, event->start_mark);
	case YAML_MAPPING_START_EVENT:
		if (check_plainness(b, event, event->data.mapping_start.anchor, event->data.mapping_start.tag))
			return -1;
		return open_collection(b, CCP_TREE_MAP, event->start_mark);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return 0;
	default:
		return 0;
	}
}

static int build(struct builder *b, yaml_parser_t *parser)
{
	yaml_event_t event;
	yaml_event_type_t type;

	do {
		if (!yaml_parser_parse(parser, &event))
			return fail_as_parser(b, parser);
		type = event.type;
		int status = take_event(b, &event);
		yaml_event_delete(&event);
		if (status)
			return status;
	} while (type != YAML_STREAM_END_EVENT);
	if (!b->tree->num_nodes)
		return ccp_fail_at(b->error, 1, 1, "the text is empty; a profile starts with 'ibcc_profile: 1'");
	return 0;
}

int ccp_tree_init(struct ccp_tree *tree, const char *text, size_t length, struct ccp_error *error)
{
	struct builder b = {.tree = tree, .error = error};
	yaml_parser_t parser;

	memset(tree, 0, sizeof(*tree));
	if (length > CCP_DOCUMENT_MAX_BYTES)
		return ccp_fail(error, "the text has %zu bytes, and a profile has at most %u", length, CCP_DOCUMENT_MAX_BYTES);
	if (!yaml_parser_initialize(&parser))
		return ccp_fail_no_memory(error);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	int status = build(&b, &parser);
	yaml_parser_delete(&parser);
	if (status)
		ccp_tree_fini(tree);
	return status;
}

void ccp_tree_fini(struct ccp_tree *tree)
{
	free(tree->nodes);
	free(tree->texts);
	memset(tree, 0, sizeof(*tree));
}
