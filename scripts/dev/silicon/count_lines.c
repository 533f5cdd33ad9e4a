/* A QEMU plugin that counts what a Cortex-M55 executes, by class of instruction, and models its caches.

It works with version 1 of the plugin interface (run with QEMU 7.2; releases from 9.0 on refuse it). The functions of that
interface that it calls are declared below, after QEMU's documentation, so no header of QEMU is needed. Its options, each
`name=value`:

  out=FILE     one line of JSON for each stage that ended
  mark=ADDRESS where the program stores its marks: a page of RAM that nothing else uses
  region=NAME:FROM:TO[:tcm|:uncached]   a part of the address space (repeated), addresses in hexadecimal; misses are counted
                   for each: none in a TCM, every single access where nothing is cached
  code_bytes, code_ways, data_bytes, data_ways=N   the caches; 32768, 2, 32768, 4 if not given
  replace=random   else the least recently used line of a set is replaced

The program stores bytes, of any value, to these addresses (an interface of version 1 shows addresses only):

  mark + character   the next character of a label; character 0 empties the label
  mark + 256         a stage begins, with the label as its name; stages may contain others
  mark + 257         the innermost stage ends; a line is written to the file `out`
  mark + 258, + 259  the region named by the label begins at the number; ends before it
  mark + 260, + 261  the data cache, the code cache is emptied; nothing counts as written back
  mark + 272 + 0..15 the next hexadecimal digit of a number of eight digits

What is not modelled: the write buffer, the prefetcher and PLD, speculative fetches, other masters on the bus. */

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the part of QEMU's plugin interface that is used --- */

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0 };
enum { READS_AND_WRITES = 3 };
enum { ADD_U64 = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);
void qemu_plugin_register_vcpu_mem_cb(
    struct qemu_plugin_insn *, void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
unsigned qemu_plugin_mem_size_shift(uint32_t);
bool qemu_plugin_mem_is_store(uint32_t);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

/* --- classes of instructions --- */

enum {
    ALU,
    MULTIPLY,
    DIVIDE,
    LOAD,
    STORE,
    LOAD_MULTIPLE,
    STORE_MULTIPLE,
    BRANCH,
    LOOP_START,
    LOOP_END,
    FLOAT,
    FLOAT_DIVIDE,
    FLOAT_LOAD,
    FLOAT_STORE,
    MOVE,
    VECTOR,
    VECTOR_LOAD,
    VECTOR_STORE,
    GATHER,
    SCATTER,
    PREFETCH,
    OTHER,
    CLASSES,
};
static const char *const CLASS_NAMES[CLASSES] = {
    "alu",        "multiply", "divide",      "load",         "store", "load_multiple", "store_multiple", "branch",
    "loop_start", "loop_end", "float",       "float_divide", "float_load", "float_store", "move", "vector",
    "vector_load", "vector_store", "gather", "scatter",      "prefetch", "other",
};

static unsigned class_of_16_bits(unsigned op) {
    if (op < 0x4000) return ALU;
    if (op < 0x4400) return (op & 0xFFC0) == 0x4340 ? MULTIPLY : ALU;
    if (op < 0x4800) { /* high registers; with pc as the target a branch */
        if ((op & 0xFF00) == 0x4700) return BRANCH;
        return (op & 0xFD87) == 0x4487 ? BRANCH : ALU;
    }
    if (op < 0x5000) return LOAD; /* from the literals */
    if (op < 0x6000) return ((op >> 9) & 7) < 3 ? STORE : LOAD;
    if (op < 0xA000) return op & 0x0800 ? LOAD : STORE;
    if (op < 0xB000) return ALU;
    if (op < 0xC000) {
        if ((op & 0xF500) == 0xB100) return BRANCH; /* CBZ, CBNZ */
        if ((op & 0xFE00) == 0xB400) return STORE_MULTIPLE;
        if ((op & 0xFE00) == 0xBC00) return LOAD_MULTIPLE;
        if ((op & 0xFF00) == 0xBF00 || (op & 0xFF00) == 0xBE00 || (op & 0xFFE0) == 0xB660) return OTHER;
        return ALU;
    }
    if (op < 0xD000) return op & 0x0800 ? LOAD_MULTIPLE : STORE_MULTIPLE;
    if (op < 0xE000) return op >= 0xDE00 ? OTHER : BRANCH;
    return BRANCH;
}

/* The coprocessor space: scalar floats, their transfers, and all of Helium. */
static unsigned class_of_coprocessor(unsigned a, unsigned b) {
    unsigned kind = a >> 8, number = (b >> 8) & 15;
    bool load = a & 0x10;
    if (kind == 0xEF || kind == 0xFF) return VECTOR;
    if (kind == 0xEE || kind == 0xFE) {
        if (number < 9 || number > 11) return VECTOR;
        if (kind == 0xEE && (b & 0x10)) { /* between registers; VDUP fills a vector */
            if (number == 11 && (a & 0x90) == 0x80) return VECTOR;
            return MOVE;
        }
        if (kind == 0xEE && (a & 0xB0) == 0x80) return FLOAT_DIVIDE;
        if (kind == 0xEE && (a & 0xBF) == 0xB1 && (b & 0xC0) == 0xC0) return FLOAT_DIVIDE; /* VSQRT */
        return FLOAT;
    }
    /* EC, ED, FC, FD */
    if (number >= 9 && number <= 11) {
        if ((a & 0xFFE0) == 0xEC40) return MOVE; /* two core registers */
        return load ? FLOAT_LOAD : FLOAT_STORE;
    }
    if (number < 14) return VECTOR; /* VCADD, VCMLA */
    if ((a & 0xFFA0) == 0xEC00) return MOVE; /* VMOV of two lanes */
    if (kind == 0xFD && (b & 0x1000)) return load ? GATHER : SCATTER; /* addresses in a vector */
    if ((kind == 0xEC || kind == 0xFC) && !(b & 0x1000) && (a & 0xA0) == 0x80) return load ? GATHER : SCATTER;
    return load ? VECTOR_LOAD : VECTOR_STORE;
}

static unsigned class_of_32_bits(unsigned a, unsigned b) {
    if ((a & 0xEC00) == 0xEC00) return class_of_coprocessor(a, b);
    if ((a & 0xFE40) == 0xE800) return a & 0x10 ? LOAD_MULTIPLE : STORE_MULTIPLE;
    if ((a & 0xFE40) == 0xE840) {
        if ((a & 0xFFF0) == 0xE8D0 && (b & 0xFFE0) == 0xF000) return BRANCH; /* TBB, TBH */
        return a & 0x10 ? LOAD : STORE;
    }
    if ((a & 0xFE00) == 0xEA00) return ALU;
    if ((a & 0xF800) == 0xF000) {
        if (!(b & 0x8000)) return ALU;
        if ((b & 0xD001) == 0xC001) { /* low-overhead loops */
            if ((b & 0xF800) == 0xE800) return VECTOR; /* VCTP */
            if ((a & 0xF) == 0xF) return (b & 0xF000) == 0xC000 ? LOOP_END : OTHER;
            return LOOP_START;
        }
        if ((b & 0x5000) == 0 && (a & 0x380) == 0x380) return OTHER; /* MSR, MRS, hints, barriers */
        return BRANCH;
    }
    if ((a & 0xFE00) == 0xF800) {
        if (!(a & 0x10)) return STORE;
        if ((b & 0xF000) == 0xF000) return (a & 0x60) == 0x40 ? BRANCH : PREFETCH; /* LDR to pc; PLD, PLI */
        return LOAD;
    }
    if ((a & 0xFF00) == 0xFA00) return ALU;
    if ((a & 0xFFD0) == 0xFB90 && (b & 0xF0) == 0xF0) return DIVIDE;
    if ((a & 0xFF00) == 0xFB00) return MULTIPLY;
    return OTHER;
}

/* --- counters --- */

enum { REGIONS = 40, DEPTH = 8, LABEL = 64, LINE = 32, MARKS = 288 };

typedef struct {
    uint64_t code_fills, read_fills, write_fills, written_back;
    uint64_t code_lines, data_lines; /* distinct lines touched within a stage */
    uint64_t instructions;           /* that lie in the region */
} region_counts;

typedef struct {
    uint64_t instructions[CLASSES];
    uint64_t bytes_read, bytes_written, gather_lanes, scatter_lanes, device_accesses;
    region_counts regions[REGIONS];
} counters;

static counters now;

typedef struct {
    char name[LABEL];
    uint32_t from, to;
    enum { CACHED, TCM, UNCACHED } kind;
} region;
static region regions[REGIONS] = {{"elsewhere", 0, 0, CACHED}};
static unsigned region_count = 1;
static bool all_cached = true;

static unsigned region_of(uint32_t address) {
    for (unsigned i = region_count; --i;)
        if (address >= regions[i].from && address < regions[i].to) return i;
    return 0;
}

/* --- caches --- */

typedef struct {
    unsigned sets, ways;
    uint32_t *lines; /* address / 32, plus DIRTY; 0 is empty */
    uint32_t *used;  /* for the least recently used way */
    uint32_t clock;
} cache;
enum { DIRTY = 0x80000000u, NONE = 0x40000000u };
static cache code_cache = {0, 2, NULL, NULL, 0}, data_cache = {0, 4, NULL, NULL, 0};
static unsigned code_bytes = 32768, data_bytes = 32768;
static bool random_ways;
static uint32_t noise = 1;

static void empty(cache *c) {
    for (unsigned i = 0; i < c->sets * c->ways; i++) c->lines[i] = NONE, c->used[i] = 0;
}

static void make(cache *c, unsigned bytes) {
    c->sets = bytes / LINE / c->ways;
    c->lines = malloc(sizeof(uint32_t) * c->sets * c->ways);
    c->used = malloc(sizeof(uint32_t) * c->sets * c->ways);
    empty(c);
}

/* True if the line was there. Otherwise it is now, and *out is what it replaced. */
static bool touch(cache *c, uint32_t line, bool write, uint32_t *out) {
    unsigned first = line % c->sets * c->ways, oldest = first;
    *out = NONE;
    c->clock++;
    for (unsigned i = first; i < first + c->ways; i++) {
        if ((c->lines[i] & ~DIRTY) == line) {
            c->used[i] = c->clock;
            if (write) c->lines[i] |= DIRTY;
            return true;
        }
        if (c->used[i] < c->used[oldest]) oldest = i;
    }
    if (random_ways && c->lines[oldest] != NONE) {
        noise = noise * 1664525u + 1013904223u;
        oldest = first + (noise >> 16) % c->ways;
    }
    *out = c->lines[oldest];
    c->lines[oldest] = line | (write ? DIRTY : 0);
    c->used[oldest] = c->clock;
    return false;
}

/* --- stages --- */

typedef struct {
    char name[LABEL];
    uint32_t epoch; /* a line belongs to the stage if it was touched since */
    counters before;
} stage;
static stage stages[DEPTH];
static unsigned depth;
static uint32_t epoch = 1;
static uint32_t *data_seen, *code_seen; /* epoch of the last touch of each line; pages come when they are needed */
static char label[LABEL];
static unsigned label_length;
static uint32_t region_start, number;
static uint32_t mark;
static FILE *out;

static void seen(uint32_t *table, uint32_t line, bool code) {
    uint32_t last = table[line];
    if (last == epoch) return;
    table[line] = epoch;
    /* Distinct lines are counted for the innermost stage directly, and for each outer one that has not seen it yet. */
    unsigned r = 0;
    bool looked = false;
    for (unsigned i = depth; i--;) {
        if (last >= stages[i].epoch) break;
        if (!looked) r = region_of(line * LINE), looked = true;
        /* `before` is what will be subtracted, so that each stage has its own count of distinct lines. */
        if (code) stages[i].before.regions[r].code_lines--;
        else stages[i].before.regions[r].data_lines--;
    }
}

static void print_sparse(const char *key, const uint64_t *values, const uint64_t *before) {
    bool first = true;
    fprintf(out, ",\"%s\":{", key);
    for (unsigned i = 0; i < CLASSES; i++) {
        uint64_t n = values[i] - before[i];
        if (!n) continue;
        fprintf(out, "%s\"%s\":%" PRIu64, first ? "" : ",", CLASS_NAMES[i], n);
        first = false;
    }
    fputs("}", out);
}

static void begin(void) {
    if (depth == DEPTH) return;
    stage *s = &stages[depth++];
    memcpy(s->name, label, LABEL);
    s->epoch = ++epoch;
    s->before = now;
}

static void end(void) {
    if (!depth) return;
    stage *s = &stages[--depth];
    const counters *b = &s->before;
    fprintf(out, "{\"stage\":\"%s\",\"depth\":%u", s->name, depth);
    print_sparse("instructions", now.instructions, b->instructions);
    fprintf(out,
        ",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64
        ",\"gather_lanes\":%" PRIu64 ",\"scatter_lanes\":%" PRIu64 ",\"device_accesses\":%" PRIu64 ",\"regions\":{",
        now.bytes_read - b->bytes_read, now.bytes_written - b->bytes_written,
        now.gather_lanes - b->gather_lanes, now.scatter_lanes - b->scatter_lanes,
        now.device_accesses - b->device_accesses);
    bool first = true;
    for (unsigned i = 0; i < region_count; i++) {
        const region_counts *n = &now.regions[i], *o = &b->regions[i];
        uint64_t v[7] = {n->code_fills - o->code_fills, n->read_fills - o->read_fills, n->write_fills - o->write_fills,
                         n->written_back - o->written_back, n->code_lines - o->code_lines, n->data_lines - o->data_lines,
                         n->instructions - o->instructions};
        if (!(v[0] | v[1] | v[2] | v[3] | v[4] | v[5] | v[6])) continue;
        fprintf(out,
            "%s\"%s\":{\"code_fills\":%" PRIu64 ",\"read_fills\":%" PRIu64 ",\"write_fills\":%" PRIu64
            ",\"written_back\":%" PRIu64 ",\"code_lines\":%" PRIu64 ",\"data_lines\":%" PRIu64 ",\"instructions\":%" PRIu64 "}",
            first ? "" : ",", regions[i].name, v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
        first = false;
    }
    fputs("}}\n", out);
    fflush(out);
}

static void add_region(const char *name, uint32_t from, uint32_t to, int kind) {
    unsigned i = 1;
    while (i < region_count && strcmp(regions[i].name, name)) i++;
    if (i == REGIONS) return;
    if (i == region_count) region_count++;
    snprintf(regions[i].name, LABEL, "%s", name);
    regions[i].from = from;
    regions[i].to = to;
    regions[i].kind = kind;
    all_cached &= kind == CACHED;
}

static void marked(uint32_t offset) {
    if (offset >= 272) number = number << 4 | (offset & 15);
    else switch (offset) {
    case 0: label_length = 0, label[0] = 0; break;
    case 256: begin(); break;
    case 257: end(); break;
    case 258: region_start = number; break;
    case 259: add_region(label, region_start, number, CACHED); break;
    case 260: empty(&data_cache); break;
    case 261: empty(&code_cache); break;
    default:
        if (label_length == LABEL - 1 || offset > 255) break;
        label[label_length++] = offset < 32 || offset > 126 || offset == '"' || offset == '\\' ? '_' : offset;
        label[label_length] = 0;
    }
}

/* --- what happens while the program runs --- */

static void fetch(uint32_t line) {
    uint32_t replaced;
    seen(code_seen, line, true);
    if (!all_cached) {
        unsigned r = region_of(line * LINE);
        if (regions[r].kind == UNCACHED) now.regions[r].code_fills++;
        if (regions[r].kind != CACHED) return;
    }
    if (!touch(&code_cache, line, false, &replaced)) now.regions[region_of(line * LINE)].code_fills++;
}

static void on_line(unsigned cpu, void *line) {
    (void)cpu;
    fetch((uint32_t)(uintptr_t)line);
}

static bool is_device(uint32_t address) {
    return address - 0x40000000u < 0x20000000u || address >= 0xA0000000u;
}

static void on_access(unsigned cpu, uint32_t info, uint64_t where, void *data) {
    uint32_t address = (uint32_t)where, size = 1u << qemu_plugin_mem_size_shift(info), replaced;
    unsigned class = (unsigned)(uintptr_t)data;
    bool write = qemu_plugin_mem_is_store(info);
    (void)cpu;
    if (address - mark < MARKS) {
        if (write) marked(address - mark);
        return;
    }
    if (is_device(address)) {
        now.device_accesses++;
        return;
    }
    if (write) now.bytes_written += size;
    else now.bytes_read += size;
    if (class == GATHER) now.gather_lanes++;
    if (class == SCATTER) now.scatter_lanes++;
    for (uint32_t line = address / LINE; line <= (address + size - 1) / LINE; line++) {
        unsigned r;
        seen(data_seen, line, false);
        if (!all_cached && regions[r = region_of(line * LINE)].kind != CACHED) {
            if (regions[r].kind == UNCACHED) write ? now.regions[r].write_fills++ : now.regions[r].read_fills++;
            continue;
        }
        if (touch(&data_cache, line, write, &replaced)) continue;
        r = region_of(line * LINE);
        if (write) now.regions[r].write_fills++;
        else now.regions[r].read_fills++;
        if (replaced != NONE && (replaced & DIRTY)) now.regions[region_of((replaced & ~DIRTY) * LINE)].written_back++;
    }
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *tb) {
    size_t count = qemu_plugin_tb_n_insns(tb);
    uint32_t line = 0;
    (void)id;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
        const uint8_t *bytes = qemu_plugin_insn_data(instruction);
        uint32_t address = (uint32_t)qemu_plugin_insn_vaddr(instruction), size = qemu_plugin_insn_size(instruction);
        unsigned op = bytes[0] | bytes[1] << 8;
        unsigned class = size == 2 ? class_of_16_bits(op) : class_of_32_bits(op, bytes[2] | bytes[3] << 8);
        if (!i) {
            line = address / LINE;
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_line, NO_REGISTERS, (void *)(uintptr_t)line);
        }
        while (line < (address + size - 1) / LINE) /* another line, or the rest of an instruction */
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_line, NO_REGISTERS, (void *)(uintptr_t)++line);
        qemu_plugin_register_vcpu_insn_exec_inline(instruction, ADD_U64, &now.instructions[class], 1);
        qemu_plugin_register_vcpu_insn_exec_inline(
            instruction, ADD_U64, &now.regions[region_of(address)].instructions, 1);
        qemu_plugin_register_vcpu_mem_cb(
            instruction, on_access, NO_REGISTERS, READS_AND_WRITES, (void *)(uintptr_t)class);
    }
}

static bool configure(const char *option) {
    const char *value = strchr(option, '=');
    if (!value) return false;
    size_t length = value++ - option;
#define IS(name) (length == sizeof(name) - 1 && !memcmp(option, name, length))
    if (IS("out")) return (out = fopen(value, "w")) != NULL;
    if (IS("mark")) mark = strtoul(value, NULL, 0);
    else if (IS("code_ways")) code_cache.ways = strtoul(value, NULL, 0);
    else if (IS("data_ways")) data_cache.ways = strtoul(value, NULL, 0);
    else if (IS("code_bytes")) code_bytes = strtoul(value, NULL, 0);
    else if (IS("data_bytes")) data_bytes = strtoul(value, NULL, 0);
    else if (IS("replace")) random_ways = !strcmp(value, "random");
    else if (IS("region")) {
        char name[LABEL], kind[12] = "";
        uint32_t from, to;
        if (sscanf(value, "%63[^:]:%" SCNx32 ":%" SCNx32 ":%11s", name, &from, &to, kind) < 3) return false;
        add_region(name, from, to, !strcmp(kind, "tcm") ? TCM : !strcmp(kind, "uncached") ? UNCACHED : CACHED);
    } else return false;
    return true;
}

EXPORT int qemu_plugin_install(plugin_id id, const void *machine, int count, char **options) {
    (void)machine;
    for (int i = 0; i < count; i++)
        if (!configure(options[i])) {
            fprintf(stderr, "count_lines: cannot use %s\n", options[i]);
            return 1;
        }
    if (!out || !mark) {
        fprintf(stderr, "count_lines: out=FILE and mark=ADDRESS are needed\n");
        return 1;
    }
    make(&code_cache, code_bytes);
    make(&data_cache, data_bytes);
    data_seen = calloc(1u << 27, sizeof *data_seen);
    code_seen = calloc(1u << 27, sizeof *code_seen);
    if (!data_seen || !code_seen) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
