// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packing interpreter, against values computed by hand.
#include "packing.h"

#include "expect_status.h"
#include "half.h"
#include "module_builder.h"

#include <cmath>
#include <cstring>

namespace hk {
namespace {

using schema::DType;
using schema::Layout;
using schema::PackOpcode;
using test::expectError;
using test::expectOk;
using test::instruction;
using test::list;
using test::ModuleFile;
using test::param;

/// A module with packed values, a set of parameters for it, and the result.
class PackingTest : public ::testing::Test {
protected:
  PackingTest() : file_(test::tripleModule({"x86-64"})) {}

  /// Declares a parameter of the module and gives it values in the checkpoint.
  template <typename T>
  void addParameter(const std::string &key, DType dtype,
                    std::vector<int64_t> shape, std::vector<T> values,
                    hk_dtype stored) {
    auto parameter = std::make_unique<schema::ParameterT>();
    parameter->key = key;
    parameter->type = test::type(dtype, shape);
    file_.metadata.parameters.push_back(std::move(parameter));
    addTensor(key, stored, std::move(shape), std::move(values));
  }
  void addParameter(const std::string &key, std::vector<int64_t> shape,
                    std::vector<float> values) {
    addParameter(key, DType::F32, std::move(shape), std::move(values),
                 HK_DTYPE_F32);
  }

  template <typename T>
  void addTensor(const std::string &key, hk_dtype stored,
                 std::vector<int64_t> shape, std::vector<T> values) {
    // One byte off: a checkpoint aligns nothing.
    auto bytes =
        std::make_unique<std::vector<char>>(1 + values.size() * sizeof(T));
    std::memcpy(bytes->data() + 1, values.data(), values.size() * sizeof(T));
    ParamTensor tensor;
    tensor.key = key;
    tensor.dtype = stored;
    tensor.dtypeName = hk_dtype_name(stored);
    tensor.shape = std::move(shape);
    tensor.data = bytes->data() + 1;
    storage_.push_back(std::move(bytes));
    expectOk(params_.add(std::move(tensor)));
  }

  /// Declares a packed value, the last instruction being its result.
  template <typename... Instructions>
  schema::PackedT &addPacked(DType dtype, std::vector<int64_t> shape,
                             Instructions... instructions) {
    auto packed = std::make_unique<schema::PackedT>();
    packed->name = "p" + std::to_string(file_.metadata.packed.size());
    packed->type = test::type(dtype, std::move(shape));
    packed->program = list(std::move(instructions)...);
    packed->result = sizeof...(instructions) - 1;
    file_.metadata.packed.push_back(std::move(packed));
    return *file_.metadata.packed.back();
  }

  Status pack(uint32_t workers = 2, uint64_t limit = UINT64_MAX) {
    const test::Bytes bytes = file_.bytes();
    HK_TRY(Module::loadMemory(bytes.data(), bytes.size(), module_));
    std::unique_ptr<Workers> pool;
    HK_TRY(ThreadPool::create(workers, pool));
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < file_.metadata.packed.size(); ++i)
      all.push_back(i);
    return packValues(module_->metadata(), all, &params_, *pool, limit,
                      result_);
  }

  template <typename T>
  std::vector<T> values(uint32_t index, size_t count, int32_t layer = -1) {
    const T *data = reinterpret_cast<const T *>(
        result_.buffer.data() +
        result_.offsetOf(module_->metadata(), index, layer));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    return std::vector<T>(data, data + count);
  }

  ModuleFile file_;
  std::vector<std::unique_ptr<std::vector<char>>> storage_;
  Params params_;
  std::shared_ptr<Module> module_;
  PackedValues result_;
};

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

TEST_F(PackingTest, EachOpcode) {
  addParameter("m", {2, 3}, {1, 2, 3, 4, 5, 6});
  addParameter("v", {3}, {10, 100, 1000});
  addParameter("u", {2}, {-1, 2});
  auto m = [] { return param("m", DType::F32, {2, 3}); };
  auto v = [] { return param("v", DType::F32, {3}); };
  auto u = [] { return param("u", DType::F32, {2}); };

  addPacked(DType::F32, {2, 3}, m());
  addPacked(DType::F32, {2}, instruction(PackOpcode::Zeros, {}, {2}));
  auto scale = instruction(PackOpcode::Scale, {0}, {2, 3});
  scale->scalar = -0.5;
  addPacked(DType::F32, {2, 3}, m(), std::move(scale));
  auto columns = instruction(PackOpcode::ScaleDim, {0, 1}, {2, 3});
  columns->dim = 1;
  addPacked(DType::F32, {2, 3}, m(), v(), std::move(columns));
  addPacked(DType::F32, {2, 3}, m(), u(),
            instruction(PackOpcode::ScaleDim, {0, 1}, {2, 3}));
  addPacked(DType::F32, {2}, m(), v(),
            instruction(PackOpcode::MatVec, {0, 1}, {2}));
  addPacked(DType::F32, {3}, v(), instruction(PackOpcode::Add, {0, 0}, {3}));
  addPacked(DType::F32, {5}, v(), u(),
            instruction(PackOpcode::Concat, {0, 1}, {5}));
  addPacked(DType::F32, {4, 3}, m(),
            instruction(PackOpcode::Concat, {0, 0}, {4, 3}));
  auto wide = instruction(PackOpcode::Concat, {0, 1, 0}, {2, 7});
  wide->dim = 1;
  auto column = param("c", DType::F32, {2, 1});
  addParameter("c", {2, 1}, {7, 8});
  addPacked(DType::F32, {2, 7}, m(), std::move(column), std::move(wide));

  expectOk(pack());
  EXPECT_EQ(values<float>(0, 6), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values<float>(1, 2), (Floats{0, 0}));
  EXPECT_EQ(values<float>(2, 6), (Floats{-0.5, -1, -1.5, -2, -2.5, -3}));
  EXPECT_EQ(values<float>(3, 6), (Floats{10, 200, 3000, 40, 500, 6000}));
  EXPECT_EQ(values<float>(4, 6), (Floats{-1, -2, -3, 8, 10, 12}));
  EXPECT_EQ(values<float>(5, 2), (Floats{3210, 6540}));
  EXPECT_EQ(values<float>(6, 3), (Floats{20, 200, 2000}));
  EXPECT_EQ(values<float>(7, 5), (Floats{10, 100, 1000, -1, 2}));
  EXPECT_EQ(values<float>(8, 12), (Floats{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values<float>(9, 14),
            (Floats{1, 2, 3, 7, 1, 2, 3, 4, 5, 6, 8, 4, 5, 6}));
}

TEST_F(PackingTest, ScaleDimInTheMiddle) {
  addParameter("t", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  addParameter("v", {2}, {1, 10});
  auto scale = instruction(PackOpcode::ScaleDim, {0, 1}, {2, 2, 2});
  scale->dim = 1;
  addPacked(DType::F64, {2, 2, 2}, param("t", DType::F32, {2, 2, 2}),
            param("v", DType::F32, {2}), std::move(scale));
  expectOk(pack());
  EXPECT_EQ(values<double>(0, 8), (Doubles{1, 2, 30, 40, 5, 6, 70, 80}));
}

TEST_F(PackingTest, AValueReadTwiceIsNotOverwritten) {
  addParameter("v", {2}, {3, 5});
  auto scale = instruction(PackOpcode::Scale, {0}, {2});
  scale->scalar = 10;
  // v + 10 v, and 10 v itself is not the result of a dead instruction.
  addPacked(DType::F32, {2}, param("v", DType::F32, {2}), std::move(scale),
            instruction(PackOpcode::Zeros, {}, {1000}),
            instruction(PackOpcode::Add, {0, 1}, {2}));
  expectOk(pack());
  EXPECT_EQ(values<float>(0, 2), (Floats{33, 55}));
}

TEST_F(PackingTest, ArithmeticIsFloat64AndRoundedOnce) {
  // In float32 the sum would lose the small term before the subtraction.
  addParameter("a", {1}, {16777216.0f});
  addParameter("b", {1}, {1.0f});
  auto negate = instruction(PackOpcode::Scale, {0}, {1});
  negate->scalar = -1;
  addPacked(DType::F32, {1}, param("a", DType::F32, {1}),
            param("b", DType::F32, {1}), std::move(negate),
            instruction(PackOpcode::Add, {0, 1}, {1}),
            instruction(PackOpcode::Add, {3, 2}, {1}));
  expectOk(pack());
  EXPECT_EQ(values<float>(0, 1), (Floats{1}));
}

TEST_F(PackingTest, RoundsToSmallFloats) {
  addParameter<double>(
      "d", DType::F64, {5},
      {1 + 0x1p-11 - 0x1p-40, 1 + 0x1p-11, 1 + 3 * 0x1p-11, 65520, -0x1p-25},
      HK_DTYPE_F64);
  addPacked(DType::F16, {5}, param("d", DType::F64, {5}));
  addParameter<double>("e", DType::F64, {3},
                       {1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-8 + 0x1p-50},
                       HK_DTYPE_F64);
  addPacked(DType::BF16, {3}, param("e", DType::F64, {3}));
  expectOk(pack());
  EXPECT_EQ(values<uint16_t>(0, 5),
            (std::vector<uint16_t>{0x3c00, 0x3c00, 0x3c02, 0x7c00, 0x8000}));
  EXPECT_EQ(values<uint16_t>(1, 3),
            (std::vector<uint16_t>{0x3f80, 0x3f82, 0x3f81}));
}

TEST_F(PackingTest, StoredFloatsOfAnyTypeAreWidened) {
  addParameter<uint16_t>("h", DType::F32, {2}, {0x3c01, 0x0001}, HK_DTYPE_F16);
  addParameter<uint16_t>("b", DType::F16, {2}, {0x3f81, 0xff80}, HK_DTYPE_BF16);
  addParameter<double>("d", DType::F32, {1}, {1 + 0x1p-50}, HK_DTYPE_F64);
  addPacked(DType::F64, {2}, param("h", DType::F32, {2}));
  addPacked(DType::F64, {2}, param("b", DType::F16, {2}));
  addPacked(DType::F64, {1}, param("d", DType::F32, {1}));
  expectOk(pack());
  EXPECT_EQ(values<double>(0, 2), (Doubles{1 + 0x1p-10, 0x1p-24}));
  EXPECT_EQ(values<double>(1, 2), (Doubles{1 + 0x1p-7, -INFINITY}));
  EXPECT_EQ(values<double>(2, 1), (Doubles{1 + 0x1p-50}));
}

TEST_F(PackingTest, PanelsAreNarrowAtTheEnd) {
  // [5, 2] in panels of 2 rows: rows 0-1, rows 2-3, row 4.
  addParameter("m", {5, 2}, {0, 1, 10, 11, 20, 21, 30, 31, 40, 41});
  schema::PackedT &packed =
      addPacked(DType::F32, {5, 2}, param("m", DType::F32, {5, 2}));
  packed.layout = Layout::Panels;
  packed.panel_width = 2;
  schema::PackedT &half =
      addPacked(DType::F16, {5, 2}, param("m", DType::F32, {5, 2}));
  half.layout = Layout::Panels;
  half.panel_width = 32;
  expectOk(pack());
  EXPECT_EQ(values<float>(0, 10),
            (Floats{0, 10, 1, 11, 20, 30, 21, 31, 40, 41}));
  std::vector<double> transposed;
  for (uint16_t value : values<uint16_t>(1, 10))
    transposed.push_back(Float16::toDouble(value));
  EXPECT_EQ(transposed, (Doubles{0, 10, 20, 30, 40, 1, 11, 21, 31, 41}));
}

/// Where element (n, k) of a matrix with `columns` columns lies in tiles, in
/// elements of `size` bytes: the formula of the schema, for one element.
size_t placeInTiles(size_t n, size_t k, size_t columns, size_t tileRows,
                    size_t tileColumns, size_t size) {
  const size_t tilesOfRow = (columns + tileColumns - 1) / tileColumns;
  const size_t tile = n / tileRows * tilesOfRow + k / tileColumns;
  size_t segment = 16;
  for (size_t wider : {32, 64, 128})
    if (tileColumns * size % wider == 0)
      segment = wider;
  const size_t r = n % tileRows, byte = k % tileColumns * size;
  const size_t chunk = byte % segment / 16;
  const size_t swizzled = chunk ^ ((r * segment / 128) % (segment / 16));
  return (tile * tileRows * tileColumns * size +
          byte / segment * tileRows * segment + r * segment + swizzled * 16 +
          byte % 16) /
         size;
}

TEST_F(PackingTest, TilesAreImagesOfSharedMemory) {
  constexpr size_t rows = 20, columns = 100;
  std::vector<float> matrix(rows * columns);
  for (size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = 1 + static_cast<float>(i);
  addParameter("m", {rows, columns}, matrix);
  struct Tile {
    uint32_t rows, columns;
  };
  // Blocks of 128, 64, 32 and 16 bytes of f16, several in a row of a tile.
  const std::vector<Tile> tiles = {{16, 64}, {8, 128}, {32, 32},
                                   {24, 16}, {8, 8},   {16, 96}};
  auto add = [&](DType dtype, Tile tile) {
    schema::PackedT &packed = addPacked(
        dtype, {rows, columns}, param("m", DType::F32, {rows, columns}));
    packed.layout = Layout::Tiles;
    packed.tile_rows = tile.rows;
    packed.tile_columns = tile.columns;
  };
  for (Tile tile : tiles) {
    add(DType::F16, tile);
    add(DType::F32, tile);
  }
  expectOk(pack());
  auto padded = [](size_t size, size_t multiple) {
    return (size + multiple - 1) / multiple * multiple;
  };
  for (size_t i = 0; i < tiles.size(); ++i) {
    const Tile tile = tiles[i];
    const size_t count =
        padded(rows, tile.rows) * padded(columns, tile.columns);
    const std::vector<uint16_t> half = values<uint16_t>(2 * i, count);
    const std::vector<float> single = values<float>(2 * i + 1, count);
    size_t zeros = 0;
    for (size_t n = 0; n < rows; ++n)
      for (size_t k = 0; k < columns; ++k) {
        const float expected = matrix[n * columns + k];
        EXPECT_EQ(half[placeInTiles(n, k, columns, tile.rows, tile.columns, 2)],
                  Float16::fromDouble(expected));
        EXPECT_EQ(
            single[placeInTiles(n, k, columns, tile.rows, tile.columns, 4)],
            expected);
      }
    for (float value : single)
      zeros += value == 0;
    EXPECT_EQ(zeros, count - rows * columns) << "padding is zeros";
  }
}

TEST_F(PackingTest, TilesInTheOrderOfStrips) {
  constexpr uint32_t rows = 32, columns = 64;
  std::vector<float> matrix(rows * columns);
  for (size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = 1 + static_cast<float>(i);
  addParameter("m", {rows, columns}, matrix);
  schema::PackedT &packed = addPacked(DType::F32, {rows, columns},
                                      param("m", DType::F32, {rows, columns}));
  packed.layout = Layout::Tiles;
  packed.tile_rows = rows;
  packed.tile_columns = columns;
  packed.strip_rows = 16;
  packed.strip_columns = 32;
  expectOk(pack());
  const std::vector<float> image = values<float>(0, rows * columns);
  // What is in the places of a strip, by hand: four lanes take turns by pairs.
  const size_t ofSixteen[16] = {0, 1, 4, 5, 8,  9,  12, 13,
                                2, 3, 6, 7, 10, 11, 14, 15};
  const size_t ofThirtyTwo[32] = {0,  1,  8,  9,  16, 17, 24, 25, 2,  3,  10,
                                  11, 18, 19, 26, 27, 4,  5,  12, 13, 20, 21,
                                  28, 29, 6,  7,  14, 15, 22, 23, 30, 31};
  for (size_t n = 0; n < rows; ++n)
    for (size_t k = 0; k < columns; ++k) {
      const size_t row = n / 16 * 16 + ofSixteen[n % 16];
      const size_t column = k / 32 * 32 + ofThirtyTwo[k % 32];
      EXPECT_EQ(image[placeInTiles(n, k, columns, rows, columns, 4)],
                matrix[row * columns + column])
          << n << ", " << k;
    }
}

TEST_F(PackingTest, LayersLieAStrideApart) {
  for (int layer = 2; layer < 5; ++layer)
    addParameter("block." + std::to_string(layer) + ".w", {3},
                 {layer + 0.25f, layer + 0.5f, layer + 0.75f});
  addParameter("shared", {3}, {1, 2, 4});
  schema::PackedT &packed =
      addPacked(DType::F32, {3}, param("block.{}.w", DType::F32, {3}),
                param("shared", DType::F32, {3}),
                instruction(PackOpcode::ScaleDim, {0, 1}, {3}));
  packed.layer_begin = 2;
  packed.layer_end = 5;
  packed.stride = 128;
  // Something behind, to see that nothing runs over.
  addPacked(DType::F32, {3}, param("shared", DType::F32, {3}));
  for (uint32_t workers : {1, 3}) {
    expectOk(pack(workers));
    EXPECT_EQ(values<float>(0, 3, 2), (Floats{2.25, 5, 11}));
    EXPECT_EQ(values<float>(0, 3, 4), (Floats{4.25, 9, 19}));
    EXPECT_EQ(result_.offsetOf(module_->metadata(), 0, 3) -
                  result_.offsetOf(module_->metadata(), 0, 2),
              128u);
    EXPECT_EQ(values<float>(1, 3), (Floats{1, 2, 4}));
    EXPECT_EQ(result_.bytes, 3 * 128 + 64u);
  }
}

TEST_F(PackingTest, MissingParametersAreCountedAndListed) {
  addParameter("present", {1}, {1});
  for (const char *key : {"a", "b", "c", "d"}) {
    auto parameter = std::make_unique<schema::ParameterT>();
    parameter->key = key;
    parameter->type = test::type(DType::F32, {1});
    file_.metadata.parameters.push_back(std::move(parameter));
    addPacked(DType::F32, {1}, param(key, DType::F32, {1}),
              param("present", DType::F32, {1}),
              instruction(PackOpcode::Add, {0, 1}, {1}));
  }
  expectError(pack(), HK_NOT_FOUND,
              "expects all parameters of the plan, but got 1 of 5: 4 missing, "
              "'a', 'b', 'c', ...");
}

TEST_F(PackingTest, WrongParametersAreNamed) {
  addParameter<float>("w", DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6},
                      HK_DTYPE_F32);
  file_.metadata.parameters[0]->type->shape = {3, 2};
  addPacked(DType::F32, {3, 2}, param("w", DType::F32, {3, 2}));
  expectError(pack(), HK_INVALID_ARGUMENT,
              "parameter 'w': expects f32[3, 2], but got f32[2, 3]");
}

TEST_F(PackingTest, IntegerParametersAreRefused) {
  addParameter<int32_t>("w", DType::F32, {2}, {1, 2}, HK_DTYPE_I32);
  addPacked(DType::F32, {2}, param("w", DType::F32, {2}));
  expectError(pack(), HK_INVALID_ARGUMENT,
              "parameter 'w': expects f32[2] (or another float type), but got "
              "i32[2]");
}

TEST_F(PackingTest, MemoryIsLimited) {
  addPacked(DType::F32, {1, 1}, instruction(PackOpcode::Zeros, {}, {1, 1}));
  addPacked(DType::F32, {1 << 20, 1 << 15},
            instruction(PackOpcode::Zeros, {}, {1 << 20, 1 << 15}));
  expectError(pack(2, uint64_t(1) << 30), HK_OUT_OF_MEMORY,
              "expects packing to take at most 1073741824 bytes, but got "
              "137438953536 of packed parameters and 274877906944 of "
              "temporaries");
}

TEST_F(PackingTest, TemporariesCountOnce) {
  // Two matrices at once: the product is made in place.
  addParameter("v", {64}, Floats(64, 1.0f));
  addPacked(DType::F32, {64}, param("v", DType::F32, {64}),
            param("v", DType::F32, {64}),
            instruction(PackOpcode::ScaleDim, {0, 1}, {64}),
            instruction(PackOpcode::ScaleDim, {2, 1}, {64}));
  const uint64_t needed = 64 * 4 + 2 * 64 * 8;
  expectOk(pack(2, needed));
  expectError(pack(2, needed - 1), HK_OUT_OF_MEMORY, "1024 of temporaries");
}

} // namespace
} // namespace hk
