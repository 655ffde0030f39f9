#include "modules/value_json.h"

#include "absl/strings/str_cat.h"
#include "modules/json.h"
#include "modules/rows/row.h"

namespace pure::modules {
namespace {

bool NamesMembers(const Type& key) { return key.is_octets() || key.kind == TypeKind::kChoice; }

class Writer {
 public:
  Writer(const Shapes& shapes, std::string* out) : shapes_(shapes), out_(*out) {}

  void Number(int64_t number, const Type& type) {
    if (type.kind == TypeKind::kBool) {
      out_.append(number != 0 ? "true" : "false");
    } else if (type.kind == TypeKind::kChoice) {
      out_.append(JsonString(shapes_.cases(type)[static_cast<size_t>(number)]));
    } else {
      absl::StrAppend(&out_, number);
    }
  }

  void Octets(Bytes octets, const Type& type) {
    if (type.kind == TypeKind::kRecord) {
      Record(octets, type);
    } else if (type.is_collection()) {
      const BlockView block(octets);
      Collection(
          block.size(), [&block](size_t i) { return block.row(i); }, type);
    } else {
      out_.append(JsonString(octets));
    }
  }

  // A field of a row.
  void Field(Bytes row, size_t field, const Type& type) {
    const RowView view(row);
    if (!view.present(field)) {
      out_.append("null");
    } else if (type.is_number()) {
      Number(view.number(field), type);
    } else {
      Octets(view.octets(field), type);
    }
  }

  template <typename RowAt>
  void Collection(size_t size, RowAt row_at, const Type& type) {
    const Type& element = shapes_.element(type);
    const bool map = type.kind == TypeKind::kMap;
    const bool object = map && NamesMembers(shapes_.key(type));
    out_.push_back(object ? '{' : '[');
    for (size_t i = 0; i < size; ++i) {
      if (i > 0) out_.push_back(',');
      const Bytes row = row_at(i);
      if (map) {
        if (!object) out_.push_back('[');
        Field(row, 0, shapes_.key(type));
        out_.push_back(object ? ':' : ',');
        Field(row, 1, element);
        if (!object) out_.push_back(']');
      } else if (element.kind == TypeKind::kRecord && !element.option) {
        Record(row, element);
      } else {
        Field(row, 0, element);
      }
    }
    out_.push_back(object ? '}' : ']');
  }

 private:
  void Record(Bytes row, const Type& type) {
    out_.push_back('{');
    size_t number = 0;
    for (const FieldType& field : shapes_.fields(type)) {
      absl::StrAppend(&out_, number == 0 ? "\"" : ",\"", field.name, "\":");
      Field(row, number++, field.type);
    }
    out_.push_back('}');
  }

  const Shapes& shapes_;
  std::string& out_;
};

}  // namespace

void AppendJson(const Register& value, const Type& type, const Shapes& shapes, std::string* out) {
  Writer writer(shapes, out);
  if (!value.present) {
    out->append("null");
  } else if (type.is_number()) {
    writer.Number(value.number, type);
  } else if (value.rows != nullptr && type.is_collection()) {
    writer.Collection(
        value.rows->size(), [&value](size_t i) { return value.rows->At(i); }, type);
  } else if (value.octets.count == 1) {
    writer.Octets(value.octets.pieces[0], type);
  } else {
    std::string flat(value.octets.size_bytes, '\0');
    CopyOctets(value.octets, flat.data());
    writer.Octets(flat, type);
  }
}

}  // namespace pure::modules
